/** A flag, a variable or a file that cannot be used. Exit code 2. */
export class ConfigError extends Error {}
