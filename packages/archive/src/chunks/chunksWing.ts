import { withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { writeReport } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { PublishFlags } from '../commands/chunks/runPublish.ts'

/** History of chains as published files. */
export const chunksWing: Wing = {
  name: 'chunks',
  commands: ({ add, loadForReading, environment }) => {
    withHelp(
      withConfig(add('publish', 'publish the history of the configured chains, for others to begin with')),
      'attestry publish --to /var/www/attestry',
      publishHelp,
    )
      .requiredOption('--to <place>', 'a folder, or s3://BUCKET/PREFIX')
      .option('--key <file>', 'a private key of Ed25519 in PEM, which signs the manifest')
      .action(async (flags: ConfigFlag & PublishFlags) => {
        const { runPublish } = await import('../commands/chunks/runPublish.ts')
        const config = loadForReading(flags)
        const program = readVersion()
        await untilStopped(async (signal) => {
          await writeReport(await runPublish(config, flags, { environment, program, signal }))
        })
      })
  },
}

const publishHelp =
  'Adds what is new and final, beside a running index. A bucket takes AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION\n' +
  'and, where it is not that of AWS, AWS_ENDPOINT_URL. Exit codes: 0 published, 1 failed, or a chain is not published.'
