// Nothing is exported: loading it is the check.
export {}
