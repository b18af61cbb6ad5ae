import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { AttestationMade, DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import { addresses, generateBlocks } from './generatedChain.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { batchOf, identityOf, type TestStoreOptions } from './storeFactory.ts'

const chainId = 5
/** More than the first two rounds look at. */
const strange = 1_100

interface QueriedStore {
  openWriter(setting: 'none'): IndexWriter
  openReader(limits: object): IndexReader
  remove(): Promise<void>
}

export function testFloodedHolders(create: (options: TestStoreOptions) => Promise<QueriedStore>): void {
  test('strangers cannot hide who holds an attestation behind many that do not count', async () => {
    const [issuer, stranger, holder, other] = addresses
    const step = { kind: 12, gap: 1, who: 1, whom: 4, what: 3, text: 5 }
    const kinds = Array.from({ length: 12 }, (_, kind) => ({ ...step, kind }))
    const blocks = generateBlocks(chainId, [], kinds, 'a')
    const [first] = blocks
    const template = blocks
      .flatMap(({ events }) => events)
      .find((event): event is AttestationMade => event.kind === 'attestationMade')
    if (issuer === undefined || stranger === undefined || holder === undefined || other === undefined)
      throw new Error('there are addresses')
    if (first === undefined || template === undefined) throw new Error('there is an attestation')

    const made = (index: number, changes: Partial<Attestation>): DomainEvent => {
      const position = eventPosition(100, index)
      const localId = `0x${(index + 1).toString(16).padStart(64, '0')}` as LocalId
      const { attestation } = template
      const plain = { validUntil: 0n, revocationAtRead: { kind: 'none' as const } }
      const key = { ...attestation.key, localId }
      return { ...template, position, attestation: { ...attestation, ...plain, key, position, ...changes } }
    }
    const to = (address: typeof holder) => [{ kind: 'address' as const, address }]
    const revoked = { kind: 'made' as const, timestamp: 1n }
    const events = [
      made(0, { attester: issuer, recipients: to(holder) }),
      made(1, { attester: issuer, recipients: to(other), revocationAtRead: revoked }),
      ...Array.from({ length: strange }, (_, index) =>
        made(index + 2, {
          attester: stranger,
          recipients: [...to(holder), ...to(other)],
          revocationAtRead: revoked,
        }),
      ),
    ]
    const store = await create({ rankThreshold: 1_000 })
    const writer = store.openWriter('none')
    const reader = store.openReader({})
    await writer.openChain(identityOf(chainId))
    await writer.applyBlocks(chainId, batchOf([{ ...first, number: 100, events }]))
    await nextTurn()
    const { schemaLocalId, protocol, attestTimestamp } = template.attestation
    const holding = {
      schema: { chainId, localId: schemaLocalId, protocol },
      attester: null,
      valid: { kind: 'now' as const, at: attestTimestamp },
    }
    const ofIssuer = { ...everyAttestation, attester: issuer }
    for (const attester of [null, issuer]) {
      const filter = { ...ofIssuer, recipientHolds: { ...holding, attester } }
      expect(await reader.countAttestations(filter)).toBe(1)
      const request = { filter, order: 'newestFirst', after: null, limit: 10 } as const
      const { rows } = await reader.sliceAttestations(request, { detail: false, schema: false })
      expect(rows.map(({ key }) => Number(key.localId))).toEqual([1])
    }
    const groups = await reader.groupAttestations({
      by: 'attester',
      filter: { ...ofIssuer, recipientHolds: holding },
      page: 1,
      size: 10,
    })
    expect(groups.total).toBe(1)
    await writer.close()
    await reader.close()
    await store.remove()
  })
}
