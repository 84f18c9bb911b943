"""What pages mean, whatever words they use: vectors of a model, asked for the pages about which words leave a doubt."""
