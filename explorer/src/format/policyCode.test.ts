import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { compileSolidity } from '@attestry/demo/compileSolidity.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import { policyCode } from './policyCode.ts'

const base = 'http://127.0.0.1:4000'
const address = `0x${'ab'.repeat(20)}`
const schema = 'onchain_evm_11155111_0x1'
const rule = { holds: { schema, attester: [address] } }
// The text of a field may be anything.
const text = "it's \u202E`$(x)`"
const hostile = { holds: { ...rule.holds, field: { text: { contains: text } } } }

const app = createServer({
  reader: openTestIndex(createSampleIndex()),
  policies: createPolicies({ 'kyc eu': { holds: { schema, attester: [address] } } }, true),
})
afterAll(() => app.close())

/** The words of a command after its name, as a shell reads them. */
function wordsOf(command: string): readonly string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('the command of a policy is answered', async () => {
  const [url = '', , , , body] = wordsOf(policyCode({ policy: rule, address }, base).curl)
  const headers = { 'content-type': 'application/json' }
  const payload = body ?? ''
  expect(JSON.parse(payload)).toEqual({ policy: rule, subjects: [address] })
  const answer = await app.inject({ method: 'POST', url: url.slice(base.length), headers, payload })
  expect(answer.statusCode).toBe(200)
  const [, , , , hostileBody = ''] = wordsOf(policyCode({ policy: hostile, address }, base).curl)
  expect(JSON.parse(hostileBody)).toEqual({ policy: hostile, subjects: [address] })
  const [named = ''] = wordsOf(policyCode({ policy: 'kyc eu', address }, base).curl)
  expect((await app.inject(named.slice(base.length))).statusCode).toBe(200)
})

test.each(['TypeScript', 'Fastify', 'Express', 'Hono'] as const)(
  'the code of %s asks the policy',
  async (language) => {
    const code = policyCode({ policy: hostile, address }, base)[language]
    expect(code).not.toContain('\u202E')
    const asked: unknown[] = []
    const client = {
      gate: (policy: unknown) => {
        asked.push(policy)
        return Promise.resolve({ verdict: 'allow', reasons: [] })
      },
    }
    const names = ['createClient', 'requirePolicy', 'app', 'showMembers', 'console']
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
    const run = AsyncFunction(...names, code.replaceAll(/^import .*$/gm, '')) as (
      ...given: readonly unknown[]
    ) => Promise<void>
    const requirePolicy = ({ policy, subject }: { policy: unknown; subject: unknown }) => {
      expect(subject).toBeTypeOf('function')
      asked.push(policy)
    }
    await run(() => client, requirePolicy, { get: () => undefined }, null, { log: () => undefined })
    expect(asked).toEqual([hostile])
  },
)

test('the contract compiles with the library, for a policy of the server and for any other', async () => {
  const library = new URL('../../../packages/trust/contracts/AttestryVerdict.sol', import.meta.url)
  const signer = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'
  const named = policyCode({ policy: 'kyc eu', address, signer, hash: '5d'.repeat(32) }, base).Solidity
  expect(named).toContain(`/scan/gate/kyc%20eu/${address}?signed=eip712`)
  const sources = {
    'AttestryVerdict.sol': readFileSync(library, 'utf8'),
    'named.sol': named,
    'inline.sol': policyCode({ policy: hostile, address: undefined }, base).Solidity,
  }
  const compiled = await compileSolidity(sources, ['named.sol:Members', 'inline.sol:Members'])
  expect(compiled['named.sol:Members']?.deployedBytecode).toContain('5d'.repeat(32))
  expect(compiled['inline.sol:Members']?.bytecode).toMatch(/^0x60/)
})
