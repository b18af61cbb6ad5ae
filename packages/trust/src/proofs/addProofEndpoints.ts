import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { BadParameterError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import { isUnannounced } from '@attestry/core/model/position.ts'
import type { ProveEvent, ProvenEvent, RecordProof } from '@attestry/core/model/recordProof.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { addEndpoint } from '@attestry/server/pipeline/addEndpoint.ts'
import { choiceParameter } from '@attestry/server/pipeline/parameters/choiceParameter.ts'
import { aboutIds, ofProtocol, recordIdParameter } from '@attestry/server/pipeline/parameters/idParameters.ts'
import { idProtocolParameter } from '@attestry/server/pipeline/parameters/protocolParameters.ts'
import { notIndexed } from '@attestry/server/interfaces/rest/notIndexed.ts'
import type { StateProver } from '../commands/createStateProver.ts'
import { answerStateProof, keptBlockParameter } from '../stateProofs/addStateProofEndpoints.ts'
import { stateProofOf } from '../stateProofs/stateProofPayload.ts'
import { wantedAttestation } from '../stateProofs/wantedProofs.ts'
import { recordProof } from './proofPayload.ts'

/**
 * Proofs that the events of records stand in their blocks, for clients that trust only a block's hash. They are made
 * on demand from the chain's endpoints; no other part of the interface asks a chain.
 */
export function addProofEndpoints(
  app: FastifyInstance,
  context: ApiContext,
  proveEvent: ProveEvent,
  stateProver: StateProver,
): void {
  const parts = { ...context, proveEvent }

  addEndpoint(app, context, {
    path: '/scan/attestations/:id/proof',
    summary: 'A proof that an attestation was made or revoked, or of its state now',
    description:
      'For clients that trust only the hash of a block. By default the receipt of the event with its path to the header of its block; with `of=state` the words of the contract’s storage after the newest block.',
    parameters: {
      id: recordIdParameter('Composite id of the attestation.'),
      protocol: idProtocolParameter,
      event: choiceParameter({
        name: 'event',
        description: 'The event to prove: the creation (the default) or the revocation.',
        choices: ['attestation', 'revocation'],
      }),
      of: choiceParameter({
        name: 'of',
        description: 'What to prove: an event (the default), or the state.',
        choices: ['event', 'state'],
      }),
      block: keptBlockParameter,
    },
    tool: {
      name: 'get_proof',
      description:
        'A proof that an attestation was made or revoked, from the receipts of its block. verify_proof checks it.',
    },
    data: Type.Union([recordProof, stateProofOf('attestation', 'AttestationStateProof')]),
    about: ({ id }) => aboutIds([id], 'attestation'),
    answer: async (reader, { event, of, block, ...values }, _url, view) => {
      const isState = of === 'state'
      if (isState ? event !== null : block !== null) {
        const [wrong, right] = isState ? ['event', 'of=event'] : ['block', 'of=state']
        throw new BadParameterError(`${wrong} goes with ${right} only.`)
      }
      const id = ofProtocol(values.id, values.protocol)
      const stored = id.kind === 'known' ? await reader.findAttestation(id.value) : null
      if (stored === null || id.kind !== 'known') throw notIndexed('attestation', id, view)
      if (!isState) return answerProof(parts, id.value, event ?? 'attestation')
      return answerStateProof(context, stateProver, await wantedAttestation(reader, stored), block)
    },
  })

  addEndpoint(app, context, {
    path: '/scan/schemas/:id/proof',
    summary: 'A proof that a schema was registered',
    description:
      'The receipt of the event with its path to the header of the block, for clients that trust only the hash of a block.',
    parameters: { id: recordIdParameter('Composite id of the schema.'), protocol: idProtocolParameter },
    data: recordProof,
    about: ({ id }) => aboutIds([id], 'schema'),
    answer: async (reader, values, _url, view) => {
      const id = ofProtocol(values.id, values.protocol)
      const isIndexed = id.kind === 'known' && (await reader.findSchema(id.value)) !== null
      if (!isIndexed) throw notIndexed('schema', id, view)
      return answerProof(parts, id.value, 'schema')
    },
  })
}

async function answerProof(
  { reader, proveEvent }: Pick<ApiContext, 'reader'> & { readonly proveEvent: ProveEvent },
  key: RecordKey,
  event: ProvenEvent,
) {
  const found = await reader.findEvent(key, event)
  if (found === null) {
    throw new NotFoundError(
      `The attestation ${formatCompositeId(key)} has no event of a revocation: it is not revoked, or was made so.`,
    )
  }
  if (isUnannounced(found.position)) {
    throw new NotFoundError(
      `The attestation ${formatCompositeId(key)} has no log that could be proved: its contract imported it without one.`,
      { mayCome: false },
    )
  }
  // Proofs are large and rarely asked for twice, so they are not cached; the prover caches the block.
  return { data: presentProof(await proveEvent(found)), followsClock: true }
}

function presentProof(proof: RecordProof) {
  const { log } = proof
  return { ...proof, log: { ...log, address: checksumAddress(log.address) } }
}
