import { runCli } from './runCli.ts'
import { runMain } from './runMain.ts'
import * as program from './wings.ts'

await runMain(() => runCli(process.argv.slice(2), process.env, program))
