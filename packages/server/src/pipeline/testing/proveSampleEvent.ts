import { encodeAbiParameters, encodeEventTopics, parseAbi, type Hex } from 'viem'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { ProvableEvent, ProvenEvent, RecordProof } from '@attestry/core/model/recordProof.ts'
import { buildProof } from '@attestry/trust/proofs/buildProof.ts'
import { encodeBlock } from '@attestry/trust/proofs/encodeBlock.ts'
import { makeBlock, signLog, type MadeLog } from '@attestry/trust/proofs/testing/madeBlock.ts'

const abi = parseAbi([
  'event SchemaRegistered(uint64 schemaId)',
  'event Attested(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID)',
  'event Revoked(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID)',
])

/** A valid proof of an event of a record, from a block that is made up to hold it. */
export async function proveSampleEvent(event: ProvableEvent): Promise<RecordProof> {
  const [contract = ''] = event.contracts
  const log = logOf(event.event, contract, event.key.localId)
  const made = await makeBlock(positionBlock(event.position), [{ type: 2, logs: [log] }], 6)
  const block = await encodeBlock(made.block, made.receipts)
  if (block.kind === 'unprovable') throw new Error(block.reason)
  const proof = await buildProof(block, event)
  if (proof === null) throw new Error('the block holds the event')
  return proof
}

function logOf(event: ProvenEvent, address: string, id: string): MadeLog {
  // The ids of EAS are longer than any counter.
  if (id.length === 66) {
    const account = `0x${'aa'.repeat(20)}` as const
    const args = { recipient: account, attester: account, schemaUID: `0x${'bb'.repeat(32)}` } as const
    const eventName = event === 'revocation' ? 'Revoked' : 'Attested'
    return { address, topics: encodeEventTopics({ abi, eventName, args }) as Hex[], data: id }
  }
  if (event === 'schema') {
    const topics = encodeEventTopics({ abi, eventName: 'SchemaRegistered' }) as Hex[]
    return { address, topics, data: encodeAbiParameters([{ type: 'uint64' }], [BigInt(id)]) }
  }
  return signLog(
    event === 'revocation' ? 'AttestationRevoked' : 'AttestationMade',
    address,
    BigInt(id),
    'text',
  )
}
