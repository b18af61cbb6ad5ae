import { ponder } from 'ponder:registry'
import { attestation } from 'ponder:schema'

ponder.on('EAS:Attested', async ({ event, context }) => {
  const { client, contracts, db } = context
  const record = await client.readContract({
    abi: contracts.EAS.abi,
    address: contracts.EAS.address,
    functionName: 'getAttestation',
    args: [event.args.uid],
    // The record without its revocation does not change: reads need not name the block.
    cache: 'immutable',
  })
  await db.insert(attestation).values({
    id: event.args.uid,
    position: event.block.number * 100_000n + BigInt(event.log.logIndex),
    schemaId: record.schema,
    attester: record.attester,
    recipient: record.recipient,
    time: record.time,
    expirationTime: record.expirationTime,
    refUid: record.refUID,
    revocable: record.revocable,
    revoked: false,
    revocationTime: 0n,
    data: record.data,
    transactionHash: event.transaction.hash,
  })
})

ponder.on('EAS:Revoked', async ({ event, context }) => {
  await context.db
    .update(attestation, { id: event.args.uid })
    .set({ revoked: true, revocationTime: event.block.timestamp })
})
