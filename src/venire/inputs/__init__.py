"""Read what users bring: samples, bundles and judges' replies, streaming, with file and line in every error."""
