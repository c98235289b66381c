/**
 * An error that the user of a contract command can correct: a name, a file, a state. Exit code 2; the message says what to do.
 */
export class ContractError extends Error {}
