import { AttestryError } from './baseError.ts'

/**
 * The configuration cannot be used. The message names the key's path, the value found and the valid form; exit code 2.
 */
export class ConfigError extends AttestryError {
  override readonly code = 'CONFIG_INVALID'
}

/** The program cannot start for a reason outside its configuration: a port in use, a missing binary; exit code 1. */
export class StartError extends AttestryError {
  override readonly code = 'START_FAILED'
}
