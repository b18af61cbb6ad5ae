import type { ProveEvent } from '@attestry/core/model/recordProof.ts'
import type { ReadHeader } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import { addProofEndpoints } from './addProofEndpoints.ts'

/** @param readHeader reads headers of blocks that the index no longer remembers; not given by some tests. */
export function serveProofs(proveEvent: ProveEvent, readHeader?: ReadHeader): ServedWing {
  return {
    provides: () => (readHeader === undefined ? {} : { readHeader }),
    endpoints:
      ({ context }) =>
      (scope) =>
        addProofEndpoints(scope, context, proveEvent),
  }
}
