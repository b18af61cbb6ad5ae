import { answerQuestions } from './childProcess.ts'

/** The program as `attestry start --config FILE` runs it, with a thread for indexing and one for serving. */
answerQuestions()
await import(new URL('../packages/attestry/src/attestry.js', import.meta.url).href)
