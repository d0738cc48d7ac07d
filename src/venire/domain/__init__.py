"""What things are: frozen values without input, output or clock."""
