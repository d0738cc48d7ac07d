"""Do the tests see it when the code is wrong? `make mutants` breaks a seeded sample of lines, one at a time, and looks.

mutations: the changes that a source file allows. sampling: which of them are tried. line_map: which tests run a line.
trial: one change, tried in a copy of the tree. watch: the pytest plugin. equivalents.toml: what changes no behaviour.
"""
