"""The judges as instruments: severity, retests, influence, competence, bias, and warnings about them."""
