import { withHelp } from '@attestry/host/commandLine.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { CheckVerdictFlags } from '../commands/runCheckVerdict.ts'

/** Verdicts of policies on addresses. */
export const gateWing: Wing = {
  name: 'gate',
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

const checkVerdictHelp =
  'FILE is a signed answer of /scan/gate; - reads standard input. Exit codes: 0 the index agrees, 1 the verdict does not\n' +
  'hold, 2 no verdict, 3 the index disagrees, 4 the index cannot say: it is behind, or lacks the chain or the policy.'
