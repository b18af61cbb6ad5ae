import { Type } from 'typebox'
import { withHelp } from '@attestry/host/commandLine.ts'
import { MistakeFound } from '@attestry/host/config/mistakes.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { CheckVerdictFlags } from '../commands/runCheckVerdict.ts'
import { createPolicies } from './gatePolicies.ts'
import { gatePoliciesDefault, gateSchema, policiesSchema } from './gateSchema.ts'
import { PolicyMistakes } from './policyMistakes.ts'

/** The policies as they stand in the file, which are evaluated, and who signs verdicts. */
export interface GateConfig {
  readonly policies: Readonly<Record<string, unknown>>
  readonly which: 'named' | 'any'
  /** Whether verdicts of policies of requests are signed too; absent: `named`. */
  readonly signs?: 'named' | 'any'
  /** The key that signs verdicts: the path of a file, or its text. */
  readonly key?: string
  /** The text of the key, after it was read. Without it, no verdict is signed as a JWS. */
  readonly pem?: string
  /** The key that signs verdicts for contracts. */
  readonly evmKey?: string
}

const keys = { policies: Type.Optional(policiesSchema) }
const serverKeys = { gate: Type.Optional(gateSchema) }

/** Verdicts of policies on addresses. */
export const gateWing: Wing<GateConfig, typeof keys, typeof serverKeys> = {
  name: 'gate',
  keys,
  serverKeys,
  partPaths: { scan: ['/snapshot'] },
  resolve: ({ file: { policies = {}, server: { gate = {} } = {} } }) => {
    checkPolicies(policies)
    const { policies: which = gatePoliciesDefault, ...others } =
      typeof gate === 'string' ? { policies: gate } : gate
    if (others.signs === 'any' && which === 'named') {
      throw MistakeFound.at(
        ['server', 'gate', 'signs'],
        'must be named, since server.gate.policies is named: policies of requests are not evaluated',
      )
    }
    return { policies, which, ...others }
  },
  mayLackVariable: ([, part, key]) => part === 'gate' && (key === 'key' || key === 'evmKey'),
  readFiles: async (config) => {
    if (config.evmKey !== undefined) {
      const { readEvmKey } = await import('./evmKey.ts')
      readEvmKey(config.evmKey)
    }
    if (config.key === undefined) return config
    const { readGateKey } = await import('./readGateKey.ts')
    return { ...config, pem: readGateKey(config.key).text }
  },
  serve: async (_host, { policies, which, signs, pem, evmKey }) => {
    const { serveGate } = await import('./serveGate.ts')
    const { readGateKey } = await import('./readGateKey.ts')
    const { readEvmKey } = await import('./evmKey.ts')
    return serveGate(createPolicies(policies, which === 'any', signs === 'any'), {
      signingKey: pem === undefined ? undefined : readGateKey(pem).signingKey,
      evmKey: evmKey === undefined ? undefined : readEvmKey(evmKey),
    })
  },
  commands: ({ add }) => {
    withHelp(
      add('check-verdict', 'check a signed verdict, and whether an index agrees', ['<file>']),
      'attestry check-verdict verdict.jws --url https://attestry.example',
      checkVerdictHelp,
    )
      .option('--url <url>', 'the index to ask (default: http://127.0.0.1:4000)')
      .option(
        '--keys <url or file>',
        'the index that signed, or a file with its keys (default: the index to ask)',
      )
      .option('--policy <file>', 'the policy, in YAML or JSON (default: the one of the two indexes)')
      .option('--audience <text>', 'for whom the verdict must be')
      .option('--nonce <text>', 'what the verdict must answer')
      .option('--expired', 'also check a verdict whose time is over')
      .action(async (file: string, flags: CheckVerdictFlags) => {
        const { readInput } = await import('@attestry/host/readInput.ts')
        const { runCheckVerdict } = await import('../commands/runCheckVerdict.ts')
        const input = await readInput(file, process.stdin, 'a signed verdict')
        await untilStopped((signal) => runCheckVerdict(input, flags, (line) => writeLines([line]), signal))
      })
  },
}

/** @throws MistakeFound */
function checkPolicies(policies: GateConfig['policies']): void {
  try {
    createPolicies(policies, false)
  } catch (error) {
    if (error instanceof PolicyMistakes) throw new MistakeFound(error.mistakes)
    throw error
  }
}

const checkVerdictHelp =
  'FILE is a signed answer of /scan/gate; - reads standard input. Exit codes: 0 the index agrees, 1 the verdict does not\n' +
  'hold, 2 no verdict, 3 the index disagrees, 4 the index cannot say: it is behind, or lacks the chain or the policy.'
