import { AttestryError } from './baseError.ts'

/** Published chunks are not what their manifest, the configuration or the chain says. Nothing of them was kept. */
export class ChunksRefusedError extends AttestryError {
  override readonly code = 'CHUNKS_REFUSED'
}
