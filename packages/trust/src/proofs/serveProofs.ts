import type { ProveEvent } from '@attestry/core/model/recordProof.ts'
import type { ReadHeader } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import type { StateProver } from '../commands/createStateProver.ts'
import { addStateProofEndpoints } from '../stateProofs/addStateProofEndpoints.ts'
import { createStateProofs } from '../stateProofs/createStateProofs.ts'
import { addProofEndpoints } from './addProofEndpoints.ts'

export interface ProofParts {
  readonly proveEvent: ProveEvent
  readonly stateProver: StateProver
  /** Reads headers of blocks that the index no longer remembers; not given by some tests. */
  readonly readHeader?: ReadHeader
}

export function serveProofs({ proveEvent, stateProver, readHeader }: ProofParts): ServedWing {
  return {
    provides: ({ context }) => ({
      ...(readHeader === undefined ? {} : { readHeader }),
      stateProofs: createStateProofs(context, stateProver),
    }),
    endpoints:
      ({ context }) =>
      (scope) => {
        addProofEndpoints(scope, context, proveEvent, stateProver)
        addStateProofEndpoints(scope, context, stateProver)
      },
  }
}
