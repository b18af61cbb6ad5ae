import { feedbackSchemaId, validationSchemaId } from '../../model/agents.ts'
import type { LocalId } from '../../model/compositeId.ts'
import { zeroAddress } from '../../model/hex.ts'
import type { Schema, SchemaDefinition } from '../../model/records.ts'
import { originOf } from '../decodeOutcomes.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'

/**
 * The schemas of feedback and validations, which no contract registers. Their payloads are the data of their events.
 * The logs that make agent 0 stand for the registrations: each deployment has them once, before any feedback.
 */

const feedback: SchemaDefinition = {
  name: 'Agent feedback',
  description: 'Feedback of a client for an agent of ERC-8004; the value is value / 10^valueDecimals.',
  fields: [
    { name: 'feedbackIndex', type: 'uint64' },
    { name: 'value', type: 'int128' },
    { name: 'valueDecimals', type: 'uint8' },
    { name: 'tag1', type: 'string' },
    { name: 'tag2', type: 'string' },
    { name: 'endpoint', type: 'string' },
    { name: 'feedbackURI', type: 'string' },
    { name: 'feedbackHash', type: 'bytes32' },
  ],
}

const validation: SchemaDefinition = {
  name: 'Agent validation',
  description:
    'The response of a validator for an agent of ERC-8004, from 0 to 100; the request is the indexing value.',
  fields: [
    { name: 'response', type: 'uint8' },
    { name: 'responseURI', type: 'string' },
    { name: 'responseHash', type: 'bytes32' },
    { name: 'tag', type: 'string' },
  ],
}

/** The definition of the schema with an id; empty for ids that no schema has. */
export function builtInDefinition(localId: LocalId): SchemaDefinition {
  if (localId === feedbackSchemaId) return feedback
  return localId === validationSchemaId ? validation : { name: '', description: '', fields: [] }
}

/** The schema of feedback; null if the deployment has no registry of reputation. */
export function feedbackSchema(deployment: Deployment, log: ChainLog): Schema | null {
  const { reputationRegistry: registrant } = deployment
  if (registrant === undefined) return null
  return makeSchema(deployment, log, {
    localId: feedbackSchemaId,
    registrant,
    revocable: true,
    definition: feedback,
  })
}

/** The schema of validations; null if the deployment has no registry of validations. */
export function validationSchema(deployment: Deployment, log: ChainLog): Schema | null {
  const { validationRegistry: registrant } = deployment
  if (registrant === undefined) return null
  return makeSchema(deployment, log, {
    localId: validationSchemaId,
    registrant,
    revocable: false,
    definition: validation,
  })
}

interface BuiltIn extends Pick<Schema, 'registrant' | 'revocable'> {
  readonly localId: LocalId
  readonly definition: SchemaDefinition
}

function makeSchema(
  deployment: Deployment,
  log: ChainLog,
  { localId, registrant, revocable, definition }: BuiltIn,
): Schema {
  return {
    ...originOf(deployment, log, localId, null),
    registrant,
    registerTimestamp: log.blockTimestamp,
    revocable,
    maxValidFor: 0n,
    resolver: zeroAddress,
    dataLocation: 'ONCHAIN',
    definition,
    rawText: definition.fields.map(({ name, type }) => `${type} ${name}`).join(', '),
    context: null,
  }
}
