import { runCli } from '../src/cli/runCli.ts'
import { answerQuestions } from './childProcess.ts'

/** The program itself, as `attestry start --config FILE` runs it: indexing and serving, each in its own thread. */
answerQuestions()
process.exit(await runCli(process.argv.slice(2), process.env))
