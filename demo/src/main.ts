import { runMain } from '@attestry/attestry/runMain.ts'
import { runDemoCli } from './runDemoCli.ts'

await runMain(() => runDemoCli(process.argv.slice(2), process.env))
