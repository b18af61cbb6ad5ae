import { encodeAddressRecipient } from '@attestry/demo/encodeRecipient.ts'
import type { LocalChain } from '../harness/localChain.ts'
import type { ExpectedIndex } from './expectedIndex.ts'
import { recipient } from './oddAttestations.ts'
import { type AttestationCase, createCaseRecorder, type SchemaCase } from './recordCases.ts'

/**
 * Attestations that were created revoked, on a chain with `changeSources: acceptBornRevoked`. Their revocation time is
 * missing, in the past or far in the future. They come singly, in a batch, and beside attestations that are revoked as
 * usual.
 */
export async function runBornRevoked(chain: LocalChain): Promise<ExpectedIndex> {
  const recorder = createCaseRecorder(chain)
  const attester = chain.account(5).address
  const schema: SchemaCase = {
    label: 'plain',
    input: { registrant: chain.account(1).address, data: '{"name":"Plain","description":"","data":[]}' },
    name: 'Plain',
  }
  const registered = await chain.register(schema.input)
  await recorder.noteSchema(registered.receipt, schema)

  const make = (label: string, revoked: boolean, revokeTimestamp = 0n): AttestationCase => ({
    label,
    schema: schema.label,
    input: { attester, revoked, revokeTimestamp, recipients: [encodeAddressRecipient(recipient)] },
    recipients: [recipient],
  })
  const alone = [
    make('without a time', true),
    make('in the past', true, 1_600_000_000n),
    make('in the future', true, 4_102_444_800n),
    make('revoked as usual', false),
  ]
  for (const attestation of alone) {
    const { receipt } = await chain.attest(recorder.inputOf(attestation))
    await recorder.noteAttestations(receipt, [attestation])
    if (attestation.label !== 'without a time') continue
    const { timestamp } = await chain.client.getBlock({ blockHash: receipt.blockHash })
    recorder.noteBornRevoked(attestation.label, Number(timestamp))
  }
  recorder.noteBornRevoked('in the past', 1_600_000_000)
  recorder.noteBornRevoked('in the future', 4_102_444_800)

  const batch = [make('in a batch', true, 1_500_000_000n), make('unrevoked in a batch', false)]
  const { receipt } = await chain.attestBatch(batch.map(recorder.inputOf))
  await recorder.noteAttestations(receipt, batch)
  recorder.noteBornRevoked('in a batch', 1_500_000_000)

  const revocation = { label: 'revoked as usual', reason: 'later' }
  await recorder.noteRevocations(
    await chain.revoke(attester, recorder.idOf(revocation.label), revocation.reason),
    [revocation],
  )
  return recorder.finish()
}
