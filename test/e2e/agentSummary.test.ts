import { encodeFunctionData, decodeFunctionResult, type Abi } from 'viem'
import { expect, test } from 'vitest'
import { agentProtocol } from '@attestry/core/model/agents.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { compileSolidity } from '@attestry/demo/compileSolidity.ts'
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { createDevClient } from '@attestry/demo/devChain.ts'
import { startAnvil } from '@attestry/demo/startAnvil.ts'
import { fillAgents, feedbackIdAt, gave } from '@attestry/server/pipeline/testing/agentSample.ts'
import { sampleHash } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { createRandom } from '../simulator/random.ts'

/** The arithmetic of the registry of reputation of ERC-8004, version 2.0.0, over feedback that is given in calls. */
const source = `pragma solidity ^0.8.20;
contract Registry {
    struct Feedback { address client; int128 value; uint8 decimals; string tag1; string tag2; bool isRevoked; }
    mapping(address => Feedback[]) private feedback;

    function give(Feedback[] calldata all) external {
        for (uint256 i; i < all.length; i++) {
            require(all[i].decimals <= 18, "too many decimals");
            feedback[all[i].client].push(all[i]);
        }
    }

    function getSummary(address[] calldata clients, string calldata tag1, string calldata tag2)
        external view returns (uint64 count, int128 value, uint8 decimals, int256 exact)
    {
        require(clients.length > 0, "clientAddresses required");
        int256 sum;
        uint64[19] memory counts;
        for (uint256 i; i < clients.length; i++) {
            Feedback[] storage given = feedback[clients[i]];
            for (uint256 j; j < given.length; j++) {
                Feedback storage one = given[j];
                if (one.isRevoked || differs(tag1, one.tag1) || differs(tag2, one.tag2)) continue;
                sum += int256(one.value) * int256(10 ** uint256(18 - one.decimals));
                counts[one.decimals]++;
                count++;
            }
        }
        if (count == 0) return (0, 0, 0, 0);
        for (uint8 d; d <= 18; d++) if (counts[d] > counts[decimals]) decimals = d;
        exact = sum / int256(uint256(count)) / int256(10 ** uint256(18 - decimals));
        value = int128(exact);
    }

    function differs(string calldata wanted, string storage held) private view returns (bool) {
        return bytes(wanted).length > 0 && keccak256(bytes(wanted)) != keccak256(bytes(held));
    }
}`

const random = createRandom(8004)
const clients = Array.from({ length: 5 }, () => `0x${random.digits(20)}` as Address)
const tags = ['', 'quality', 'Quality', 'uptime']

function drawFeedback(length: number) {
  const largest = 10n ** 38n
  return Array.from({ length }, (_, index) => ({
    index: 100 + index,
    client: random.pick(clients),
    value: random.chance(0.1)
      ? random.pick([largest, -largest, 1n, -1n])
      : BigInt(random.integer(-1_000_000, 1_000_000)),
    decimals: random.pick([0, 0, 2, 7, 7, 18, random.integer(0, 18)]),
    tag1: random.pick(tags),
    tag2: random.pick(tags),
    isRevoked: random.chance(0.2),
  }))
}

test('the summary by REST is that of the registry, for random feedback', async () => {
  const anvil = await startAnvil({ chainId: 31_337 })
  const store = await createSqliteTestStore()
  const writer = store.openWriter()
  const app = createServer({ reader: store.openReader(), decodePayload: decodeAttestedPayload })
  try {
    const feedback = drawFeedback(150)
    const { 'Registry.sol:Registry': artifact } = await compileSolidity({ 'Registry.sol': source }, [
      'Registry.sol:Registry',
    ])
    if (artifact === undefined) throw new Error('the contract was not compiled')
    const abi: Abi = artifact.abi
    const client = createDevClient(anvil.url)
    const send = async (data: `0x${string}`, to?: Address) => {
      const from = demoAccount(0).address
      const hash = await client.request({
        method: 'eth_sendTransaction',
        params: [{ from, data, gas: '0x1c9c380', ...(to && { to }) }],
      } as never)
      return await client.waitForTransactionReceipt({ hash })
    }
    const to = (await send(artifact.bytecode)).contractAddress as Address
    for (let first = 0; first < feedback.length; first += 25) {
      const args = [feedback.slice(first, first + 25)]
      const { status } = await send(encodeFunctionData({ abi, functionName: 'give', args }), to)
      expect(status).toBe('success')
    }
    await fillAgents(
      writer,
      feedback.flatMap((each) => [
        gave({ ...each, agentId: 1n, from: each.client }),
        ...(each.isRevoked ? [revoked(each.index)] : []),
      ]),
    )
    const ask = async (asked: readonly Address[], tag1: string, tag2: string) => {
      const query = new URLSearchParams({ 'client[in]': asked.join(','), tag1, tag2 })
      const response = await app.inject(`/scan/agents/5:1/reputation?${query.toString()}`)
      return response.json<{ data: { summary: unknown } }>().data.summary
    }
    let overflows = 0
    for (let round = 0; round < 60; round++) {
      const asked = Array.from({ length: random.integer(1, 4) }, () => random.pick(clients))
      const [tag1, tag2] = [random.pick(tags), random.pick(tags)]
      const data = encodeFunctionData({ abi, functionName: 'getSummary', args: [asked, tag1, tag2] })
      const { data: found = '0x' } = await client.call({ to, data })
      const [count, value, valueDecimals, exact] = decodeFunctionResult({
        abi,
        functionName: 'getSummary',
        data: found,
      }) as [bigint, bigint, number, bigint]
      if (value !== exact) overflows++
      const shown = value === exact ? String(value) : 'overflow'
      expect(await ask(asked, tag1, tag2)).toEqual({ count: Number(count), value: shown, valueDecimals })
    }
    expect(overflows).toBeGreaterThan(0)
    expect(overflows).toBeLessThan(40)
  } finally {
    await Promise.all([app.close(), writer.close(), anvil.stop()])
    await store.remove()
  }
}, 120_000)

function revoked(index: number): (block: number) => DomainEvent {
  return (block) => ({
    kind: 'attestationRevoked',
    position: eventPosition(block, 0),
    protocol: agentProtocol,
    localId: feedbackIdAt(index),
    reason: '',
    timestamp: unixSeconds(1_750_000_000 + block),
    transactionHash: sampleHash(block),
  })
}
