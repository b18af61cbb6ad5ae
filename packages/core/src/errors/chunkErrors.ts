import { AttestryError } from './baseError.ts'

/** Published chunks are not what their manifest, the configuration or the chain says. Nothing of them was kept. */
export class ChunksRefusedError extends AttestryError {
  override readonly code = 'CHUNKS_REFUSED'
}

/** No sampled block of published chunks could be compared with the chain, since no endpoint keeps its logs. */
export class ChunksUnprovenError extends AttestryError {
  override readonly code = 'CHUNKS_UNPROVEN'
}
