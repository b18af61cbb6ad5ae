import { expect, test } from 'vitest'
import { demoAccount } from './demoAccounts.ts'
import { createDevClient, mineBlock } from './devChain.ts'
import { populate } from './populate.ts'
import { createRandom } from './random.ts'
import { signDemo } from './signDemo.ts'
import { startAnvil } from './startAnvil.ts'
import { trickle } from './trickle.ts'
import { firstCases } from '@attestry/test/harness/nightly.ts'

const attestationsMin = 60

test.each(
  firstCases(1, [
    ['a second behind', -1],
    ['an hour behind', -3_600],
    ['a day ahead', 86_400],
  ]),
)('attestations of limited validity are made on a chain whose clock is %s', async (_words, shiftS) => {
  const nowS = Math.floor(Date.now() / 1_000)
  const startS = nowS - 86_400
  const anvil = await startAnvil({ chainId: 31_337, genesisTimeS: startS, manualMining: true })
  const stop = new AbortController()
  try {
    const client = createDevClient(anvil.url)
    let timeS = startS
    const calls = await signDemo.deploy(client, {
      from: demoAccount(0).address,
      nextTimestampS: () => ++timeS,
      signal: stop.signal,
    })
    const schemas = signDemo.schemas.filter(({ maxValidForS }) => maxValidForS !== undefined)
    expect(schemas.length).toBeGreaterThan(2)
    const populated = await populate(client, calls, {
      schemas,
      attestations: schemas.length,
      startTimeS: timeS + 1,
      endTimeS: nowS - 7_200,
      seed: 1,
    })
    await mineBlock(client, nowS + shiftS)
    await client.setAutomine(true)
    const problems: string[] = []
    let attested = 0
    await trickle(
      createDevClient(anvil.url, stop.signal, false),
      {
        ...calls,
        attest: async (attestations) => {
          if (++attested > attestationsMin) stop.abort()
          return await calls.attest(attestations)
        },
      },
      populated,
      {
        random: createRandom(2),
        signal: stop.signal,
        pauseMs: [0, 1],
        onProblem: (problem) => problems.push(problem),
      },
    )
    expect(problems).toEqual([])
  } finally {
    await anvil.stop()
  }
})
