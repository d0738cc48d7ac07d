"""The version of the package, read by the build and by every record that names its software."""

__version__ = "0.1.0"
