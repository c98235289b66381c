/** Says why a flag, a variable or a file cannot be used. The exit code is 2. */
export class ConfigError extends Error {}
