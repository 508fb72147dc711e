"""Files of tensors -> the tensors in them, by the end of a file's name; one module for each kind of file."""
