import { runCli } from '../src/cli/runCli.ts'
import { answerQuestions } from './childProcess.ts'

/** The program as `attestry start --config FILE` runs it, with a thread for indexing and one for serving. */
answerQuestions()
process.exit(await runCli(process.argv.slice(2), process.env))
