import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { ApiContext, StateProofs } from '@attestry/server/apiContext.ts'
import type { StateProver, WantedProof } from '../commands/createStateProver.ts'
import { presentStateProof } from './addStateProofEndpoints.ts'
import { createKnownBlocks } from './knownBlocks.ts'
import { wantedAnchor, wantedAttestation } from './wantedProofs.ts'

/** The proofs that other answers have beside their own. */
export function createStateProofs(context: ApiContext, prover: StateProver): StateProofs {
  // The context gets its reader of headers after this call.
  const prove = async (wanted: WantedProof) =>
    presentStateProof(await prover.prove(wanted, createKnownBlocks(context.reader, context.readHeader)))
  return {
    proveAnchor: async (reader, anchor) => await prove(await wantedAnchor(reader, anchor)),
    proveAttestation: async (reader, key) => {
      const stored = await reader.findAttestation(key)
      if (stored === null)
        throw new NotFoundError(`The attestation ${formatCompositeId(key)} is not indexed here.`)
      return await prove(await wantedAttestation(reader, stored))
    },
  }
}
