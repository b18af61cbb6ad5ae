import { projections } from '@attestry/test/harness/projections.ts'
import { encodeAbiParameters } from 'viem'
import { sampleAddress, sampleContract } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { contentLayout, openContentStore } from '@attestry/content/contentStore.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { contentIdOfFile } from '@attestry/core/model/contentId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { eventPosition, positionBlock } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { offchainLayout } from '@attestry/trust/offchainStore/offchainDatabase.ts'
import { openOffchainStore } from '@attestry/trust/offchainStore/openOffchainStore.ts'
import { besidePath, openSqliteBeside } from '@attestry/store/beside/openSqliteBeside.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { attestationAt, attestationUid, easChainId, schemaUid } from './easContent.ts'

const contentCount = 100
const statementCount = 110
/** Far behind all records of `easContent.ts`. */
const firstNumber = 40_000_000
/** A schema whose only field is a text. */
const textSchema = schemaUid(5)
const payloadCount = 100
const longPayload = `0x${'ab'.repeat(2 ** 20)}` as Hex
/** The schema of the attestations with payloads of 1 MiB. */
export const longSchema = schemaUid(6)

/**
 * Adds the newest 100 attestations, which lead to contents of 1 MiB, 100 before them with payloads of 1 MiB, and 110
 * statements of 256 KiB.
 */
export async function fillBeside(path: string): Promise<void> {
  const ids = Array.from({ length: contentCount }, (_, number) =>
    contentIdOfFile(Buffer.from(`{"number":${number}}`)),
  )
  const texts = [...Array<null>(payloadCount).fill(null), ...ids]
  const events = texts.map((id, index): DomainEvent => {
    const number = firstNumber - payloadCount + index
    const position = eventPosition(number, 0)
    const attestation = {
      ...attestationAt(index),
      key: { chainId: easChainId, localId: attestationUid(number) },
      position,
      attestTimestamp: unixSeconds(1_790_000_000 + index),
      schemaLocalId: id === null ? longSchema : textSchema,
      linkedAttestation: null,
      data: id === null ? longPayload : textPayload(`ipfs://${id}`),
    }
    return { kind: 'attestationMade', position, attestation }
  })
  const writer = openSqliteWriter(path, { projections })
  const contracts = [{ protocol: 'eas', address: sampleContract, schemaRegistry: null, startBlock: 0 }]
  const { checkpoint } = await writer.openChain({ chainId: easChainId, name: 'Base', contracts })
  await writer.applyBlocks(easChainId, {
    fromBlock: (checkpoint?.blockNumber ?? -1) + 1,
    checkpoint: {
      blockNumber: positionBlock(events.at(-1)?.position ?? eventPosition(firstNumber, 0)),
      timestamp: null,
    },
    events,
    recentBlocks: [],
    forgetBlocksBelow: 0,
    storedAt: unixMilliseconds(1_790_000_000_000),
  })
  await writer.close()
  await fillContent(path, ids)
  await fillStatements(path)
}

function textPayload(text: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [text]) as Hex
}

async function fillContent(index: string, ids: readonly string[]): Promise<void> {
  const store = openContentStore(openSqliteBeside(besidePath(index, contentLayout), contentLayout))
  const keys = ids.map((id) => `ipfs:${id}`)
  const place = { chainId: easChainId, timestamp: 0, position: 0 }
  const pointers = keys.map((key, index) => ({
    key,
    owner: '',
    record: { chainId: easChainId, protocol: 'eas' as const, localId: attestationUid(firstNumber + index) },
    schemaId: formatCompositeId({ chainId: easChainId, localId: textSchema }),
    pathText: 'text',
    text: `ipfs://${ids[index]}`,
  }))
  await store.note({ pointers, keys: [] }, { chainId: easChainId, location: 'ONCHAIN', place }, 0)
  const json = JSON.stringify({ text: 'x'.repeat(1_048_000) })
  for (const key of keys) {
    await store.settle([{ key, state: 'verified', sentence: '', json, attempts: 1, nextAt: null }], 2 ** 30)
  }
  await store.close()
}

async function fillStatements(index: string): Promise<void> {
  const store = openOffchainStore(openSqliteBeside(besidePath(index, offchainLayout), offchainLayout))
  const text = 'x'.repeat(256 * 1024)
  for (let number = 0; number < statementCount; number++) {
    const id = `SPA_${number}`
    const entry = {
      id,
      kind: 'attestation',
      protocol: 'sign',
      chainId: null,
      contract: null,
      localId: id,
      signer: sampleAddress(1),
      schemaId: 'SPS_1',
      madeAt: 1_700_000_000 + number,
      storedAt: 1_790_000_000_000,
      storedBy: 'bench',
      contentId: '',
      body: {
        recipients: [sampleAddress(2)],
        indexingValue: '',
        linked: '',
        validUntil: '0',
        revocable: true,
        payload: JSON.stringify({ text }),
        text,
      },
      revocation: null,
    } as const
    await store.add(entry, null)
  }
  await store.close()
}
