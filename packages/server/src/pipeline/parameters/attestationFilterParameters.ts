import { Type } from 'typebox'
import { quoteInput } from '../quoteInput.ts'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId, type ChainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import { contentIdName } from '@attestry/core/model/fieldValues.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { contentStates } from '@attestry/core/model/knownContent.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import {
  everyAttestation,
  recipientNamed,
  type AttestationFilter,
  type GroupBy,
  type Holding,
} from '@attestry/core/index/indexQueries.ts'
import type { Question } from '../asOf/openView.ts'
import { booleanParameter, choiceParameter } from './choiceParameter.ts'
import {
  addressFilterParameter,
  chainIdParameter,
  askedByIds,
  chainsOfIds,
  chainsOfListed,
  idFilterParameter,
  idListParameter,
  ofProtocol,
  schemaIdParameter,
  type Identified,
} from './idParameters.ts'
import { fieldParameter } from './fieldParameter.ts'
import { optionalParameter, type ParameterValues } from './parameter.ts'
import { protocolParameter } from './protocolParameters.ts'
import { sharedMembers } from './sharedMembers.ts'
import { textParameter } from './textParameters.ts'
import { timeFilterParameter } from './timeParameters.ts'

/** The filters of attestations, which combine (and). */
export const attestationFilterParameters = {
  schemaId: schemaIdParameter,
  attester: addressFilterParameter('attester', 'Only attestations that this account made.'),
  recipient: textParameter(
    'recipient',
    'Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address; a `did:web` also under its address.',
  ),
  chainId: chainIdParameter,
  protocol: protocolParameter,
  revoked: booleanParameter('revoked', 'Only attestations that were revoked, or that were not.'),
  expired: booleanParameter(
    'expired',
    'Only attestations whose `validUntil` has passed, or has not, by the clock of the server.',
  ),
  validAt: timeFilterParameter(
    'validAt',
    'Only attestations that were valid at a time: made by then, not expired and not revoked.',
  ),
  attestedFrom: timeFilterParameter('attestedFrom', 'Only attestations made at that time or later.'),
  attestedBefore: timeFilterParameter('attestedBefore', 'Only attestations made before that time.'),
  revokedFrom: timeFilterParameter('revokedFrom', 'Only attestations revoked at that time or later.'),
  revokedBefore: timeFilterParameter('revokedBefore', 'Only attestations revoked before that time.'),
  linkedAttestation: idFilterParameter(
    'linkedAttestation',
    'Composite id of an attestation: only those that refer to it.',
  ),
  linkedAttestationIn: idListParameter(
    'linkedAttestation[in]',
    'Only attestations that refer to one of these attestations.',
  ),
  ...holdingParameters('recipientHolds', 'a recipient'),
  ...holdingParameters('attesterHolds', 'the attester'),
  attesterHops: optionalParameter(
    'attesterHops',
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description:
        'With `attesterHolds[attester]`: 2 also takes what the attester holds from an account that holds it; 1 by default.',
    }),
    readHops,
  ),
  indexingValue: textParameter(
    'indexingValue',
    'Only attestations with exactly this indexing value; hexadecimal in any case.',
  ),
  dataLocation: choiceParameter({
    name: 'dataLocation',
    description: 'Only attestations whose payload is kept there.',
    choices: ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM'],
  }),
  portal: addressFilterParameter('portal', 'Only attestations of Verax made through this portal.'),
  content: choiceParameter({
    name: 'content',
    description:
      'Only attestations whose payload is kept elsewhere, with content in this state (docs/content.md). A 400 where no content is fetched.',
    choices: contentStates,
  }),
  // Not `fields`, which is a parameter of its own.
  fieldConditions: fieldParameter,
} as const

export type AttestationFilterValues = ParameterValues<typeof attestationFilterParameters>

/**
 * The filter of a request; null if no indexed attestation can pass. `CheckFields` has yet to check its conditions on
 * fields.
 * @param now the clock by which `expired` is decided.
 */
export function attestationFilterOf(
  values: AttestationFilterValues,
  now: () => UnixMilliseconds,
): AttestationFilter | null {
  const { schemaId, chainId, protocol, recipient, expired } = values
  if (isUnknown(schemaId) || isUnknown(chainId)) return null
  const linkedAttestations = linkedOf(values)
  if (linkedAttestations?.length === 0) return null
  const recipientHolds = holdingOf(
    'recipientHolds',
    values.recipientHolds,
    values.recipientHoldsAttester,
    now,
  )
  const attesterHeld = holdingOf('attesterHolds', values.attesterHolds, values.attesterHoldsAttester, now)
  const attesterHolds = withHops(attesterHeld, values.attesterHops)
  if (recipientHolds === 'nobody' || attesterHolds === 'nobody') return null
  return {
    ...sharedMembers(everyAttestation, values),
    // A schema with its protocol is a list of the index; a schema and a protocol are two filters.
    schema: schemaId === null ? null : { ...schemaId.value, protocol },
    recipient: recipientNamed(recipient),
    chainId: chainId?.value ?? null,
    protocol: schemaId === null ? protocol : null,
    expired: expired === null ? null : { at: Math.floor(now() / 1000), is: expired },
    linkedAttestations,
    recipientHolds,
    attesterHolds,
    fields: [...(values.fieldConditions ?? []), ...contentCondition(values)],
  }
}

function contentCondition({ content }: AttestationFilterValues): readonly FieldCondition[] {
  return content === null
    ? []
    : [{ path: [contentIdName], operator: 'in', values: [], contentState: content }]
}

/** Whether an answer may change with the content that is known, while the index stays as it is. */
export function followsContent(
  { content: reads }: { readonly content: object | null },
  { content, fieldConditions }: AttestationFilterValues,
  by: GroupBy = 'schema',
): boolean {
  return reads !== null && (content !== null || fieldConditions !== null || typeof by === 'object')
}

/** Whether a filter passes other attestations when time goes on. */
export function followsClock({ expired, recipientHolds, attesterHolds }: AttestationFilterValues): boolean {
  return expired !== null || recipientHolds !== null || attesterHolds !== null
}

/** The attestations of both members; null without any. */
function linkedOf({
  linkedAttestation: one,
  linkedAttestationIn: some,
  protocol,
}: AttestationFilterValues): readonly RecordKey[] | null {
  if (one === null && some === null) return null
  const sent = some ?? (one === null ? [] : [one])
  const keys = sent.flatMap((id) => (id.kind === 'known' ? [{ ...id.value, protocol }] : []))
  if (one === null || some === null) return keys
  return keys.filter((key) => one.kind === 'known' && formatCompositeId(one.value) === formatCompositeId(key))
}

/** A condition on what an account holds; null without one, `nobody` where the schema can never be indexed. */
function holdingOf(
  name: string,
  schemaId: Identified<RecordKey> | null,
  attester: Address | null,
  now: () => UnixMilliseconds,
): Holding | 'nobody' | null {
  if (schemaId === null && attester !== null) {
    throw new BadParameterError(`${name}[attester] needs ${name}, the schema of what is held; add it.`)
  }
  if (schemaId === null) return null
  if (isUnknown(schemaId)) return 'nobody'
  return { schema: schemaId.value, attester, valid: { kind: 'now', at: Math.floor(now() / 1000) } }
}

function withHops(holding: Holding | 'nobody' | null, hops: 1 | 2 | null): Holding | 'nobody' | null {
  if (hops === null || holding === 'nobody') return holding
  if (holding === null) {
    throw new BadParameterError('attesterHops needs attesterHolds, the schema of what is held; add it.')
  }
  return { ...holding, hops }
}

function readHops(text: string): 1 | 2 {
  if (text === '1' || text === '2') return text === '1' ? 1 : 2
  throw new BadParameterError(`attesterHops must be 1 or 2; it was ${quoteInput(text)}.`)
}

/** The two parameters of a condition on what an account holds, by its name. */
function holdingParameters<const Name extends 'recipientHolds' | 'attesterHolds'>(name: Name, who: string) {
  const schema = idFilterParameter(
    name,
    `Composite id of a schema: only attestations of which ${who} holds a valid attestation under it.`,
  )
  const attester = addressFilterParameter(`${name}[attester]`, `With \`${name}\`: held from this account.`)
  return { [name]: schema, [`${name}Attester`]: attester } as {
    readonly [Property in Name]: typeof schema
  } & { readonly [Property in `${Name}Attester`]: typeof attester }
}

/** Whether an identifier can name no indexed record; a filter by it passes no row. */
export function isUnknown<Value>(
  id: Identified<Value> | null,
): id is Extract<Identified<Value>, { readonly kind: 'unknown' }> {
  return id?.kind === 'unknown'
}

type ChainFilters = Pick<
  AttestationFilterValues,
  | 'chainId'
  | 'protocol'
  | 'schemaId'
  | 'linkedAttestation'
  | 'linkedAttestationIn'
  | 'recipientHolds'
  | 'attesterHolds'
>

/** The chains and records that a listing depends on, those of what accounts hold among them. */
export function askedByListing(values: ChainFilters): Pick<Question, 'chainIds' | 'records'> {
  const { protocol, schemaId, linkedAttestation, linkedAttestationIn, recipientHolds, attesterHolds } = values
  const own = chainsOfRows(values)
  const held = askedByIds([recipientHolds, attesterHolds].filter(isGiven), 'schema')
  const chainIds = own && [...new Set([...own, ...(held.chainIds ?? [])])]
  const schemas = askedByIds(
    [schemaId].filter(isGiven).map((id) => ofProtocol(id, protocol)),
    'schema',
  )
  const linked = [linkedAttestation, ...(linkedAttestationIn ?? [])].filter(isGiven)
  const ofProtocolAlone =
    protocol === null ? [] : (own ?? []).map((chainId) => ({ chainId, protocols: [protocol] }))
  const named = [schemas, askedByIds(linked, 'attestation'), held].flatMap(({ records }) => records)
  return { chainIds, records: [...named, ...ofProtocolAlone] }
}

function isGiven<Value>(value: Value | null): value is Value {
  return value !== null
}

/** The chains that rows can be of. A reference stays on its chain. */
function chainsOfRows({
  chainId,
  schemaId,
  linkedAttestation,
  linkedAttestationIn,
}: ChainFilters): readonly ChainId[] | null {
  if (chainId !== null) return chainsOfListed(chainId)
  if (schemaId !== null) return chainsOfIds([schemaId])
  if (linkedAttestation !== null) return chainsOfIds([linkedAttestation])
  return linkedAttestationIn === null ? null : chainsOfIds(linkedAttestationIn)
}
