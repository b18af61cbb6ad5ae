import type { Hash } from 'viem'
import { expect, test } from 'vitest'
import { demoAccount } from './demoAccounts.ts'
import { createDevClient, mineBlock, reorganise, sendTransaction } from './devChain.ts'
import { startAnvil } from './startAnvil.ts'

test('a reorganisation reverts the transactions of the newest blocks and keeps the height', async () => {
  const anvil = await startAnvil({ chainId: 31_337, manualMining: true })
  try {
    const client = createDevClient(anvil.url)
    const hashes: Hash[] = []
    for (let block = 0; block < 3; block++) {
      hashes.push(await sendTransaction(client, { from: demoAccount(0).address, data: '0x' }))
      await mineBlock(client)
    }
    const before = await client.getBlock({ blockNumber: 2n })
    expect(await reorganise(client, 2)).toBe(1n)
    expect(await client.getBlockNumber()).toBe(3n)
    expect((await client.getBlock({ blockNumber: 2n })).hash).not.toBe(before.hash)
    const receipts = await Promise.allSettled(hashes.map((hash) => client.getTransactionReceipt({ hash })))
    expect(receipts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  } finally {
    await anvil.stop()
  }
})
