mod program;
