"""Archives of evaluations that stand alone: the manifest, the writer, and the pages that explain the folders."""
