import { withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { VerifyFlags } from './runVerify.ts'

/** The index compared with its chains, with itself, and with the index of another service. */
export const verifyWing: Wing = {
  name: 'verify',
  commands: ({ add, loadForReading }) => {
    withHelp(
      withConfig(add('verify', 'compare the index with its chains and with itself')),
      'attestry verify --sample 1000',
      verifyHelp,
    )
      .option('--all', 'compare every block instead of a sample')
      .option('--sample <number>', 'how many records of each chain to compare (default: 200)')
      .option('--seed <number>', 'seed of the sample (default: random; it is printed)')
      .option('--chain <numbers>', 'compare only these chains, such as 1,10')
      .option('--offline', 'ask no chain: compare the index only with itself')
      .option('--repair', 'index differing blocks again, then verify again; stop the indexer first')
      .option('--against <url>', 'compare with the index of another service instead, by digests')
      .option('--json', 'print a JSON object a line')
      .action(async (flags: ConfigFlag & VerifyFlags) => {
        const config = loadForReading(flags)
        const write = (line: string) => writeLines([line])
        // A verification that does not finish has found nothing to be right.
        process.exitCode = 1
        const { against } = flags
        if (against === undefined) {
          const { runVerify } = await import('./runVerify.ts')
          return await untilStopped((signal) => runVerify(config, flags, write, signal))
        }
        const { runCompare } = await import('./runCompare.ts')
        await untilStopped((signal) => runCompare(config, against, flags, write, signal))
      })
  },
}

const verifyHelp =
  'Exit codes: 0 no difference, 1 a difference or a chain that could not be compared, 2 misconfigured.'
