"""Accept or flag: a raw reply goes in, a judgement with findings comes out. Pure functions only."""
