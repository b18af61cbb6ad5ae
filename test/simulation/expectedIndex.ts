import { getAddress } from 'viem'
import { veraxVersion } from '../simulator/abiWords.ts'
import { encodeLog } from '../simulator/encodeLog.ts'
import type { ChainView, SimulatedChain } from '../simulator/simulatedChain.ts'
import type {
  TrueEasAttestation,
  TrueEvent,
  TrueField,
  TrueRecipient,
  TrueSignAttestation,
  TrueVeraxAttestation,
} from '../simulator/trueRecords.ts'

/** An event that an index counts, with its index among those of its block. */
type CountedEvent = TrueEvent & { readonly eventIndex: number }

/** The contracts of a simulated chain that an index follows. */
export interface FollowedContracts {
  readonly name: string
  /** The first block that counts of each protocol's contracts; null if they are not followed. */
  readonly sign: number | null
  readonly eas: number | null
  readonly verax?: number | null
  /** Agents are compared with an index made anew, not with the chain. */
  readonly agents?: number | null
  readonly transactionSenders: boolean
}

/** A line of the export as an object; only what the chain decides, none of the times of storing. */
export type ExpectedLine = Readonly<Record<string, unknown>> & { readonly type: string }

/**
 * The export that an index of the chain must arrive at, worked out from the chain's own truth the slow and plain way.
 * It shares no code with protocols, sync or store.
 */
export function expectedIndex(
  chain: SimulatedChain,
  followed: FollowedContracts,
  view: ChainView = chain.view(),
): readonly ExpectedLine[] {
  const chainId = String(chain.chainId)
  const events = withIndexes(chain.events(view, 0, view.head).filter((event) => counts(event, followed)))
  const senderIn = (hash: string) => chain.senderOf(view, hash) ?? ''
  const senderOf = (hash: string) => (followed.transactionSenders ? `0x${senderIn(hash)}` : null)

  const attestations = new Map<string, Attested>()
  const undecodable: ExpectedLine[] = []
  for (const event of events) {
    if (event.kind === 'signAttestation' && !event.record.unreadable) {
      attestations.set(`0x${event.id.toString(16)}`, signAttested(event))
    } else if (event.kind === 'easAttestation') {
      attestations.set(event.record.uid, easAttested(event))
    } else if (event.kind === 'veraxAttestation' || event.kind === 'veraxImport') {
      attestations.set(event.record.id, veraxAttested(event))
    } else if (
      event.kind === 'signRevocation' ||
      event.kind === 'easRevocation' ||
      event.kind === 'veraxRevocation'
    ) {
      const { id, reason, protocol } = revoked(event, chainId)
      const target = attestations.get(id)
      if (target === undefined) {
        undecodable.push({
          ...place('undecodable', chainId, event),
          protocol,
          transactionHash: event.transactionHash,
          attestationId: id,
          revokeReason: reason,
          revokeTimestamp: String(event.timestamp),
        })
      } else target.revocation = { event, reason }
    } else if (event.kind === 'malformed' || event.kind === 'signAttestation') {
      const { address, topics, data } = encodeLog(chain, event)
      undecodable.push({
        ...place('undecodable', chainId, event),
        protocol: event.kind === 'malformed' ? event.protocol : 'sign',
        transactionHash: event.transactionHash,
        contract: address,
        topics,
        data,
      })
    }
  }

  const made = [...attestations.values()].toSorted((a, b) => orderOf(a.event) - orderOf(b.event))
  const names = made.filter((each) => each.names !== null)
  const under = (schemaId: string, protocol: unknown) => {
    const of = made.filter((each) => each.schemaId === schemaId && each.rest['protocol'] === protocol)
    return { attestationCount: of.length, attesterCount: new Set(of.map((each) => each.attester)).size }
  }

  const schemas = events.flatMap((event): ExpectedLine[] => {
    if (event.kind === 'veraxSchema') return [veraxSchema(event, chainId, { senderIn, under })]
    if (event.kind !== 'signSchema' && event.kind !== 'easSchema') return []
    const schemaId = event.kind === 'signSchema' ? `0x${event.id.toString(16)}` : event.record.uid
    const registrant = event.kind === 'signSchema' ? event.record.registrant : event.record.registerer
    const newestName = names.findLast(
      ({ names: given, attester, revocation }) =>
        given?.schemaUid === schemaId && attester === registrant && revocation === null,
    )
    const own =
      event.kind === 'signSchema'
        ? {
            name: event.record.name,
            definitionName: event.record.name,
            description: event.record.description,
            maxValidFor: String(event.record.maxValidFor),
            resolver: `0x${event.record.hook}`,
            dataLocation: dataLocations[event.record.dataLocation],
            protocol: 'sign',
          }
        : {
            name: newestName?.names?.name ?? '',
            definitionName: '',
            description: '',
            maxValidFor: '0',
            resolver: `0x${event.record.resolver}`,
            dataLocation: 'ONCHAIN',
            protocol: 'eas',
          }
    const fields: readonly TrueField[] = event.record.fields
    return [
      {
        ...place('schema', chainId, event),
        id: `onchain_evm_${chainId}_${schemaId}`,
        mode: 'onchain',
        chainType: 'evm',
        schemaId,
        registrant: checksummed(registrant),
        transactionHash: event.transactionHash,
        data: fields,
        registerTimestamp: event.timestamp,
        revocable: event.record.revocable,
        rawText: event.record.text,
        transactionSender: senderOf(event.transactionHash),
        ...own,
        ...under(schemaId, own.protocol),
      },
    ]
  })

  const keyOf = (schemaId: unknown, protocol: unknown) => `${String(schemaId)} ${String(protocol)}`
  const registered = new Set(schemas.map(({ schemaId, protocol }) => keyOf(schemaId, protocol)))
  const unregistered = [...new Set(made.map((each) => keyOf(each.schemaId, each.rest['protocol'])))]
    .filter((key) => !registered.has(key))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((key) => {
      const [schemaId = '', protocol] = key.split(' ')
      return { type: 'unregisteredSchema', chainId, schemaId, ...under(schemaId, protocol) }
    })

  /** The account of an anchor. For a timestamp of EAS, it is the sender of the transaction at best. */
  const anchorAccount = ({ anchor, transactionHash }: CountedEvent & { readonly kind: 'anchor' }) => {
    if (anchor.name === 'RevokedOffchain') return `0x${anchor.account}`
    return anchor.name === 'Timestamped' ? senderOf(transactionHash) : null
  }
  const anchors = events.flatMap((event): ExpectedLine[] => {
    if (event.kind !== 'anchor') return []
    const { anchor } = event
    return [
      {
        ...place('anchor', chainId, event),
        protocol: anchor.name.startsWith('Offchain') ? 'sign' : 'eas',
        anchor: anchor.name,
        account: anchorAccount(event),
      },
    ]
  })
  const anchorCounts: Record<string, number> = {}
  for (const { anchor } of anchors) anchorCounts[String(anchor)] = (anchorCounts[String(anchor)] ?? 0) + 1

  return [
    {
      type: 'chain',
      chainId,
      name: followed.name,
      schemaCount: schemas.length,
      attestationCount: made.length,
      revocationCount: made.filter((each) => revocationLine(each).revoked).length,
      undecodableCount: undecodable.length,
      anchorCounts,
    },
    ...schemas,
    ...unregistered,
    ...names.map((each) => ({
      ...place('schemaName', chainId, each.event),
      schemaId: each.names?.schemaUid,
      name: each.names?.name,
    })),
    ...made.map((each) => ({
      ...place('attestation', chainId, each.event),
      id: `onchain_evm_${chainId}_${each.id}`,
      mode: 'onchain',
      chainType: 'evm',
      attestationId: each.id,
      schemaId: each.schemaId,
      fullSchemaId: `onchain_evm_${chainId}_${each.schemaId}`,
      attester: checksummed(each.attester),
      attestTimestamp: String(each.event.timestamp),
      ...transactionOf(each.event, senderOf),
      linkedAttestation: each.linked === null ? '' : `onchain_evm_${chainId}_${each.linked}`,
      ...each.rest,
      recipients: each.recipients.map(formatted),
      ...revocationLine(each),
    })),
    ...anchors,
    ...metadataLines(events, chainId),
    ...undecodable,
    ...addressLines(schemas, made),
  ]
}

interface Attested {
  readonly event: CountedEvent
  readonly id: string
  readonly schemaId: string
  readonly attester: string
  readonly linked: string | null
  readonly recipients: readonly Pick<TrueRecipient, 'kind' | 'value'>[]
  readonly names: TrueEasAttestation['names']
  readonly bornRevokedAt: number | null
  readonly rest: Readonly<Record<string, unknown>>
  revocation: { readonly event: CountedEvent; readonly reason: string } | null
}

const dataLocations = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM']

function counts(event: TrueEvent, { sign, eas, verax = null }: FollowedContracts): boolean {
  if (event.kind === 'agent') return false
  if (event.kind.startsWith('verax')) return verax !== null && event.block >= verax
  const isSign =
    event.kind.startsWith('sign') ||
    (event.kind === 'anchor' && event.anchor.name.startsWith('Offchain')) ||
    (event.kind === 'malformed' && event.protocol === 'sign')
  const first = isSign ? sign : eas
  return first !== null && event.block >= first
}

function signAttested(
  event: CountedEvent & { readonly id: number; readonly record: TrueSignAttestation },
): Attested {
  const { record } = event
  return {
    event,
    id: `0x${event.id.toString(16)}`,
    schemaId: `0x${record.schemaId.toString(16)}`,
    attester: record.attester,
    linked: record.linkedId === 0 ? null : `0x${record.linkedId.toString(16)}`,
    recipients: record.recipients,
    names: null,
    bornRevokedAt: record.bornRevokedAt,
    rest: {
      protocol: 'sign',
      indexingValue: record.indexingKey,
      validUntil: String(record.validUntil),
      revocable: null,
      data: `0x${record.data}`,
      dataLocation: dataLocations[record.dataLocation],
    },
    revocation: null,
  }
}

/** Metadata of Verax: portals, and the newest context of each schema. */
function metadataLines(events: readonly CountedEvent[], chainId: string): readonly ExpectedLine[] {
  return events.flatMap((event): ExpectedLine[] => {
    if (event.kind === 'veraxPortal') {
      const { portal, name, description, owner, ownerName, isRevocable, modules } = event.record
      const others = { ownerName, isRevocable, modules: modules.map((module) => `0x${module}`) }
      const { block: blockNumber, timestamp, transactionHash } = event
      const registration = { blockNumber, timestamp, transactionHash }
      const body = JSON.stringify({ name, description, owner: `0x${owner}`, ...others, registration })
      return [
        {
          ...place('metadata', chainId, event),
          protocol: 'verax',
          of: 'portal',
          subject: `0x${portal}`,
          // The registry forgets a revoked portal: the time of the read decides what the index says.
          ...(isRevokedLater(events, event, portal) ? {} : { body }),
        },
      ]
    }
    if (event.kind !== 'veraxContext') return []
    // A log that was read after a later one says what the later one said.
    const isNewest = event === newestContext(events, event.schemaId)
    return [
      {
        ...place('metadata', chainId, event),
        protocol: 'verax',
        of: 'schemaContext',
        subject: event.schemaId,
        ...(isNewest ? { body: event.context } : {}),
      },
    ]
  })
}

function isRevokedLater(events: readonly CountedEvent[], registered: CountedEvent, portal: string): boolean {
  return events
    .slice(events.indexOf(registered))
    .some((event) => event.kind === 'veraxPortalRevoked' && event.portal === portal)
}

function newestContext(events: readonly CountedEvent[], schemaId: string) {
  return events.findLast(
    (event): event is CountedEvent & { readonly kind: 'veraxContext' } =>
      event.kind === 'veraxContext' && event.schemaId === schemaId,
  )
}

/** The transaction of an event; unknown for a record without a log. */
function transactionOf(
  { kind, transactionHash }: CountedEvent,
  senderOf: (hash: string) => string | null,
): Pick<ExpectedLine, 'transactionHash' | 'transactionSender'> {
  return kind === 'veraxImport'
    ? { transactionHash: `0x${'0'.repeat(64)}`, transactionSender: null }
    : { transactionHash, transactionSender: senderOf(transactionHash) }
}

function veraxAttested(event: CountedEvent & { readonly record: TrueVeraxAttestation }): Attested {
  const { record } = event
  return {
    event,
    id: record.id,
    schemaId: record.schemaId,
    attester: record.attester,
    linked: record.replaces,
    recipients: record.subject === null ? [] : [record.subject],
    names: null,
    bornRevokedAt: null,
    rest: {
      protocol: 'verax',
      indexingValue: '',
      validUntil: String(record.expirationDate),
      revocable: null,
      portal: `0x${record.portal}`,
      contractVersion: veraxVersion,
      subject: `0x${record.subject?.digits ?? ''}`,
      data: `0x${record.data}`,
      dataLocation: 'ONCHAIN',
    },
    revocation: null,
  }
}

type Revocation = CountedEvent & { readonly kind: 'signRevocation' | 'easRevocation' | 'veraxRevocation' }

function revoked(event: Revocation, chainId: string) {
  switch (event.kind) {
    case 'signRevocation':
      return { id: `0x${event.id.toString(16)}`, reason: event.reason, protocol: 'sign' }
    case 'easRevocation':
      return { id: event.record.uid, reason: '', protocol: 'eas' }
    case 'veraxRevocation': {
      const by = event.replacedBy
      const reason = by === null ? '' : `replaced by onchain_evm_${chainId}_${by}`
      return { id: event.id, reason, protocol: 'verax' }
    }
  }
}

/** The contracts of Verax name no creator of a schema: who sent the transaction counts. */
function veraxSchema(
  event: CountedEvent & { readonly kind: 'veraxSchema' },
  chainId: string,
  of: {
    readonly senderIn: (hash: string) => string
    readonly under: (schemaId: string, protocol: string) => object
  },
): ExpectedLine {
  const { record, transactionHash, timestamp } = event
  const sender = of.senderIn(transactionHash)
  return {
    ...place('schema', chainId, event),
    id: `onchain_evm_${chainId}_${record.id}`,
    mode: 'onchain',
    chainType: 'evm',
    schemaId: record.id,
    protocol: 'verax',
    name: record.name,
    definitionName: record.name,
    description: record.description,
    context: record.context,
    registrant: checksummed(sender),
    transactionHash,
    transactionSender: `0x${sender}`,
    data: record.fields,
    registerTimestamp: timestamp,
    revocable: true,
    maxValidFor: '0',
    resolver: `0x${'0'.repeat(40)}`,
    dataLocation: 'ONCHAIN',
    rawText: record.text,
    ...of.under(record.id, 'verax'),
  }
}

function easAttested(event: CountedEvent & { readonly record: TrueEasAttestation }): Attested {
  const { record } = event
  return {
    event,
    id: record.uid,
    schemaId: record.schemaUid,
    attester: record.attester,
    linked: record.refUid,
    recipients: record.recipient === null ? [] : [{ kind: 'address', value: record.recipient }],
    names: record.names,
    bornRevokedAt: null,
    rest: {
      protocol: 'eas',
      indexingValue: '',
      validUntil: String(record.expirationTime),
      revocable: record.revocable,
      data: `0x${record.data}`,
      dataLocation: 'ONCHAIN',
    },
    revocation: null,
  }
}

function revocationLine({ event, bornRevokedAt, revocation }: Attested) {
  if (revocation !== null) {
    return {
      revoked: true,
      revokeTimestamp: String(revocation.event.timestamp),
      revokeReason: revocation.reason,
      revokeTransactionHash: revocation.event.transactionHash,
      revokedBy: { blockNumber: revocation.event.block, eventIndex: revocation.event.eventIndex },
    }
  }
  if (bornRevokedAt === null) {
    return {
      revoked: false,
      revokeTimestamp: null,
      revokeReason: null,
      revokeTransactionHash: '',
      revokedBy: null,
    }
  }
  return {
    revoked: true,
    revokeTimestamp: String(bornRevokedAt === 0 ? event.timestamp : bornRevokedAt),
    revokeReason: '',
    revokeTransactionHash: event.transactionHash,
    revokedBy: null,
  }
}

function addressLines(schemas: readonly ExpectedLine[], made: readonly Attested[]): ExpectedLine[] {
  const lines = new Map<
    string,
    Record<'schemaCreated' | 'attestationCreated' | 'attestationReceived' | 'totalAttestations', number>
  >()
  const of = (address: string) => {
    const line = lines.get(address) ?? {
      schemaCreated: 0,
      attestationCreated: 0,
      attestationReceived: 0,
      totalAttestations: 0,
    }
    lines.set(address, line)
    return line
  }
  for (const { registrant } of schemas) of(String(registrant).slice(2).toLowerCase()).schemaCreated++
  for (const { attester, recipients } of made) {
    const received = new Set(recipients.filter(({ kind }) => kind === 'address').map(({ value }) => value))
    of(attester).attestationCreated++
    for (const address of received) of(address).attestationReceived++
    for (const address of received.add(attester)) of(address).totalAttestations++
  }
  return [...lines]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, line]) => ({ type: 'address', address: `0x${address}`, ...line }))
}

function place(type: string, chainId: string, event: CountedEvent) {
  return { type, chainId, blockNumber: event.block, eventIndex: event.eventIndex }
}

/**
 * The events with their indexes among those of their block. Records without a log stand behind the logs, by their
 * numbers (docs/adr/0022).
 */
function withIndexes(events: readonly TrueEvent[]): readonly CountedEvent[] {
  const logs = new Map<number, number>()
  return events.map((event): CountedEvent => {
    if (event.kind === 'veraxImport') return { ...event, eventIndex: 2 ** 19 + event.number }
    const eventIndex = logs.get(event.block) ?? 0
    logs.set(event.block, eventIndex + 1)
    return { ...event, eventIndex }
  })
}

function orderOf(event: CountedEvent): number {
  return event.block * 2 ** 20 + event.eventIndex
}

function formatted({ kind, value }: Pick<TrueRecipient, 'kind' | 'value'>): string {
  if (kind === 'address') return checksummed(value)
  return kind === 'text' ? value : `0x${value}`
}

const checksums = new Map<string, string>()

/** By another implementation than the program's. */
function checksummed(address: string): string {
  const known = checksums.get(address) ?? getAddress(`0x${address}`)
  if (checksums.size > 10_000) checksums.clear()
  checksums.set(address, known)
  return known
}
