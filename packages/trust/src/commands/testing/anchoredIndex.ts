import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { localIdOfUid } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import {
  parseAddress,
  parseHash,
  zeroAddress,
  zeroHash,
  type Hash,
  type Hex,
} from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { parseSchemaString } from '@attestry/core/protocols/eas/parseSchemaString.ts'
import { privateDataSchemaUid } from '../../statements/privateData.ts'
import { privateRoot } from '../../statements/testing/privateProofs.ts'
import { content, sepoliaEas, signer, signWithSdk, stranger } from '../../statements/testing/sdkVectors.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'

export const chainId = 11_155_111
export const now = unixMilliseconds(1_800_000_000_000)
const schemaUid = requireHash(content.schema)
export const privateUid = requireHash(`0x${'aa'.repeat(32)}`)
export const plainUid = requireHash(`0x${'bb'.repeat(32)}`)
export const transactionHash = requireHash(`0x${'cc'.repeat(32)}`)

/** An index of Sepolia with a schema, two attestations, and anchors of two off-chain attestations. */
export async function openAnchoredIndex() {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-offchain-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const revoked = await signWithSdk({ content: { revocable: false } })
  const revokedByStranger = await signWithSdk()
  const writer = openSqliteWriter(path)
  const contract = {
    protocol: 'eas',
    address: requireAddress(sepoliaEas),
    schemaRegistry: null,
    startBlock: 0,
  }
  await writer.openChain({ chainId, name: 'Sepolia', contracts: [contract] })
  await writer.applyBlocks(chainId, {
    fromBlock: 0,
    checkpoint: { blockNumber: 100, timestamp: 1_790_000_000 },
    recentBlocks: [],
    forgetBlocksBelow: 0,
    events: eventsOfChain({ revoked, revokedByStranger }),
    storedAt: now,
  })
  await writer.saveChainStatus(
    sampleChain({ chainId, protocols: ['eas'], headBlock: 100, indexedBlock: 100 }),
  )
  await writer.close()
  const reader = openSqliteReader(path)
  const close = async () => {
    await reader.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, path, reader, revoked, revokedByStranger, close }
}

function eventsOfChain({
  revoked,
  revokedByStranger,
}: {
  readonly revoked: string
  readonly revokedByStranger: string
}): readonly DomainEvent[] {
  const origin = (block: number) => ({
    position: eventPosition(block, 0),
    transactionHash,
    transactionSender: null,
  })
  const schema = (block: number, uid: Hash, text: string): DomainEvent => ({
    kind: 'schemaRegistered',
    position: eventPosition(block, 0),
    schema: {
      ...origin(block),
      key: { chainId, localId: localIdOfUid(uid) },
      protocol: 'eas',
      registrant: zeroAddress,
      registerTimestamp: unixSeconds(1_690_000_000),
      revocable: true,
      maxValidFor: 0n,
      resolver: zeroAddress,
      dataLocation: 'ONCHAIN',
      definition: { name: '', description: '', fields: parseSchemaString(text) },
      rawText: text,
      context: null,
    },
  })
  const attestation = (block: number, uid: Hash, schemaOf: Hash, data: string): DomainEvent => ({
    kind: 'attestationMade',
    position: eventPosition(block, 0),
    attestation: {
      ...origin(block),
      key: { chainId, localId: localIdOfUid(uid) },
      protocol: 'eas',
      schemaLocalId: localIdOfUid(schemaOf),
      attester: zeroAddress,
      attestTimestamp: unixSeconds(1_700_000_000),
      recipients: [],
      indexingValue: '',
      linkedAttestation: null,
      validUntil: 0n,
      revocable: true,
      portal: null,
      contractVersion: null,
      subject: null,
      data: data as Hex,
      dataLocation: 'ONCHAIN',
      revocationAtRead: { kind: 'none' },
    },
  })
  const anchor = (block: number, name: string, envelope: string, account: string | null): DomainEvent => ({
    kind: 'anchorMade',
    position: eventPosition(block, 0),
    protocol: 'eas',
    anchor: name,
    account: account === null ? null : requireAddress(account),
    value: uidOf(envelope),
    timestamp: unixSeconds(1_700_000_000 + block),
    transactionHash,
    reason: '',
  })
  return [
    schema(1, schemaUid, 'uint256 level'),
    schema(2, requireHash(privateDataSchemaUid), 'bytes32 privateData'),
    attestation(3, privateUid, requireHash(privateDataSchemaUid), privateRoot),
    attestation(4, plainUid, schemaUid, `0x${'00'.repeat(31)}2a`),
    anchor(10, 'Timestamped', revokedByStranger, null),
    anchor(11, 'RevokedOffchain', revokedByStranger, stranger.address),
    anchor(12, 'RevokedOffchain', revoked, signer.address),
  ]
}

export function uidOf(envelope: string): string {
  return (JSON.parse(envelope) as { sig: { uid: string } }).sig.uid
}

function requireHash(text: string): Hash {
  return parseHash(text) ?? zeroHash
}

function requireAddress(text: string) {
  return parseAddress(text) ?? zeroAddress
}
