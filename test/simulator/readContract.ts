import {
  decodeAggregate3,
  encodeAggregate3,
  encodeAttestation,
  encodeEasAttestation,
  encodeEasSchema,
  encodeSchema,
  encodeVeraxAttestation,
  encodeVeraxPortal,
  encodeVeraxSchema,
  veraxVersion,
  word,
} from './abiWords.ts'
import { newFeedbackTopic } from './makeAgents.ts'
import { veraxId } from './makeRecords.ts'
import type { ChainView, SimulatedChain } from './simulatedChain.ts'

/** Address of Multicall3 on nearly every chain. */
export const multicallAddress = '0xca11bde05977b3631167028862be2a173976ca11'

/** The result of a view call; `data` is digits without `0x`. */
export interface CallOutcome {
  readonly success: boolean
  readonly data: string
}

const selectors = {
  signSchema: '8d1be875',
  signAttestation: '62252880',
  schemaCounter: 'cb6a3237',
  attestationCounter: '2c996e03',
  easSchema: 'a2ea7c6e',
  easAttestation: 'a3112a64',
  veraxAttestation: 'a3112a64',
  veraxCounter: 'f20c1416',
  veraxPrefix: 'f541295c',
  veraxVersion: '54255be0',
  veraxSchema: 'a2ea7c6e',
  veraxPortal: 'c0fbc748',
  aggregate3: '82ad56cb',
  ownerOf: '6352211e',
  clients: '42dd519c',
  lastIndex: 'f2d81759',
}

/** `AttestationNotAttested()`. */
const notAttested = '0e35f2bc'
/** `SchemaNotRegistered()`. */
const schemaNotRegistered = '8cc004a9'
/** `PortalNotRegistered()`. */
const portalNotRegistered = '082cec1d'
/** `LegacySPRequired()`. */
const legacyRequired = 'cc504239'
const noAddress = '0'.repeat(40)

/** The answer of a contract of the chain, at the state after a block, to calldata (digits without `0x`). */
export function readContract(
  chain: SimulatedChain,
  view: ChainView,
  atBlock: number,
  to: string,
  calldata: string,
  hasMulticall: boolean,
): CallOutcome {
  const selector = calldata.slice(0, 8)
  const argument = calldata.slice(8)
  if (to === multicallAddress && hasMulticall && selector === selectors.aggregate3) {
    const results = decodeAggregate3(argument).map((inner) =>
      readContract(chain, view, atBlock, `0x${inner.to}`, inner.data, false),
    )
    return returned(encodeAggregate3(results))
  }
  if (to === chain.contracts.sign) return readSign(chain, view, atBlock, selector, argument)
  if (to === chain.contracts.schemaRegistry && selector === selectors.easSchema) {
    const schema = chain.easSchema(view, `0x${argument}`, atBlock)?.record
    if (schema === undefined) {
      return returned(encodeEasSchema({ uid: '', resolver: noAddress, revocable: false, schema: '' }))
    }
    const { uid, resolver, revocable, text } = schema
    return returned(encodeEasSchema({ uid: uid.slice(2), resolver, revocable, schema: text }))
  }
  if (to === chain.contracts.eas && selector === selectors.easAttestation) {
    return returned(readEasAttestation(chain, view, atBlock, `0x${argument}`))
  }
  if (to === chain.contracts.verax) return readVerax(chain, view, atBlock, selector, argument)
  if (to === chain.contracts.veraxSchemas && selector === selectors.veraxSchema) {
    const found = chain.veraxSchema(view, `0x${argument}`, atBlock)
    if (found === null) return { success: false, data: schemaNotRegistered }
    const { name, description, context, text } = found.record
    return returned(encodeVeraxSchema([name, description, context, text]))
  }
  if (to === chain.contracts.veraxPortals && selector === selectors.veraxPortal) {
    const found = chain.veraxPortal(view, argument.slice(24), atBlock)
    return found === null
      ? { success: false, data: portalNotRegistered }
      : returned(encodeVeraxPortal(found.record))
  }
  if (to === chain.contracts.identities && selector === selectors.ownerOf) {
    const exists = BigInt(`0x${argument}`) < BigInt(chain.countsAt(view, atBlock).agentRegistration)
    return exists ? returned(word(1)) : { success: false, data: '' }
  }
  if (to === chain.contracts.reputation) return readReputation(chain, view, atBlock, selector, argument)
  // No contract, or none that knows the function: an account without code answers with nothing.
  return returned('')
}

function readSign(
  chain: SimulatedChain,
  view: ChainView,
  atBlock: number,
  selector: string,
  argument: string,
): CallOutcome {
  switch (selector) {
    case selectors.schemaCounter:
      return returned(word(chain.countsAt(view, atBlock).signSchema + 1))
    case selectors.attestationCounter:
      return returned(word(chain.countsAt(view, atBlock).signAttestation + 1))
    case selectors.signSchema: {
      const schema = chain.signSchema(view, idOf(argument), atBlock)
      if (schema === null) return returned(encodeSchema(zeroSchema))
      const { record, timestamp } = schema
      return returned(encodeSchema({ ...record, timestamp, data: record.text }))
    }
    case selectors.signAttestation: {
      const found = chain.signAttestation(view, idOf(argument), atBlock)
      if (found === null) return returned(encodeAttestation(zeroAttestation))
      const { record, timestamp, revokedAt } = found
      if (record.unreadable) {
        return idOf(argument) % 2 === 0 ? { success: false, data: legacyRequired } : returned('')
      }
      return returned(
        encodeAttestation({
          ...record,
          linkedAttestationId: record.linkedId,
          attestTimestamp: timestamp,
          revokeTimestamp: record.bornRevokedAt ?? revokedAt ?? 0,
          revoked: record.bornRevokedAt !== null || revokedAt !== null,
          recipients: record.recipients.map(({ digits }) => digits),
        }),
      )
    }
    default:
      return { success: false, data: '' }
  }
}

function readEasAttestation(chain: SimulatedChain, view: ChainView, atBlock: number, uid: string): string {
  const found = chain.easAttestation(view, uid, atBlock)
  if (found === null) {
    return encodeEasAttestation({
      uid: '',
      schema: '',
      time: 0,
      expirationTime: 0n,
      revocationTime: 0,
      refUid: '',
      recipient: noAddress,
      attester: noAddress,
      revocable: false,
      data: '',
    })
  }
  const { record, timestamp, revokedAt } = found
  return encodeEasAttestation({
    uid: record.uid.slice(2),
    schema: record.schemaUid.slice(2),
    time: timestamp,
    expirationTime: record.expirationTime,
    revocationTime: revokedAt ?? 0,
    refUid: record.refUid?.slice(2) ?? '',
    recipient: record.recipient ?? noAddress,
    attester: record.attester,
    revocable: record.revocable,
    data: record.data,
  })
}

function readVerax(
  chain: SimulatedChain,
  view: ChainView,
  atBlock: number,
  selector: string,
  argument: string,
): CallOutcome {
  switch (selector) {
    case selectors.veraxCounter: {
      const { veraxAttestation, veraxReplacement, veraxImport } = chain.countsAt(view, atBlock)
      return returned(word(veraxAttestation + veraxReplacement + veraxImport))
    }
    case selectors.veraxPrefix:
      return returned(veraxId(0).slice(2))
    case selectors.veraxVersion:
      return returned(word(atBlock < chain.options.veraxSilentBelow ? 3 : veraxVersion))
    case selectors.veraxAttestation: {
      const found = chain.veraxAttestation(view, `0x${argument}`, atBlock)
      if (found === null) return { success: false, data: notAttested }
      const { record, timestamp, revokedAt, replacedBy } = found
      return returned(
        encodeVeraxAttestation({
          id: record.id.slice(2),
          schema: record.schemaId.slice(2),
          replacedBy: replacedBy?.slice(2) ?? '',
          attester: record.attester,
          portal: record.portal,
          attestedDate: timestamp,
          expirationDate: record.expirationDate,
          revocationDate: revokedAt ?? 0,
          subject: record.subject?.digits ?? '',
          data: record.data,
        }),
      )
    }
    default:
      return { success: false, data: '' }
  }
}

/** The registry numbers the feedback of each client for an agent from 1 on. */
function readReputation(
  chain: SimulatedChain,
  view: ChainView,
  atBlock: number,
  selector: string,
  argument: string,
): CallOutcome {
  const agent = `0x${argument.slice(0, 64)}`
  const clients = chain.events(view, 0, atBlock).flatMap((event) => {
    if (event.kind !== 'agent') return []
    const [topic, ofAgent, client] = event.log.topics
    return topic === newFeedbackTopic && ofAgent === agent && client !== undefined ? [client.slice(2)] : []
  })
  if (selector === selectors.lastIndex)
    return returned(word(clients.filter((client) => client === argument.slice(64, 128)).length))
  if (selector !== selectors.clients) return { success: false, data: '' }
  const each = [...new Set(clients)]
  return returned([word(32), word(each.length), ...each].join(''))
}

function returned(data: string): CallOutcome {
  return { success: true, data }
}

function idOf(argument: string): number {
  return Number.parseInt(argument.slice(0, 64), 16)
}

const zeroSchema = {
  registrant: noAddress,
  revocable: false,
  dataLocation: 0,
  maxValidFor: 0n,
  hook: noAddress,
  timestamp: 0,
  data: '',
}

const zeroAttestation = {
  schemaId: 0,
  linkedAttestationId: 0,
  attestTimestamp: 0,
  revokeTimestamp: 0,
  attester: noAddress,
  validUntil: 0n,
  dataLocation: 0,
  revoked: false,
  recipients: [],
  data: '',
}
