import { runCli } from '@attestry/attestry/runCli.ts'
import { runMain } from '@attestry/attestry/runMain.ts'
import * as program from './wings.ts'

await runMain(() => runCli(process.argv.slice(2), process.env, program))
