import { AttestryError } from './baseError.ts'

/** Published chunks cannot be read or written: no manifest, a server that does not answer, a folder without permission. */
export class ChunksUnavailableError extends AttestryError {
  override readonly code = 'CHUNKS_UNAVAILABLE'
}

/** Published chunks are not what their manifest, the configuration or the chain says. Nothing of them was kept. */
export class ChunksRefusedError extends AttestryError {
  override readonly code = 'CHUNKS_REFUSED'
}
