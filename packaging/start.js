// `npm start` in the clone: the service where there is a configuration, else the demo.
import { existsSync } from 'node:fs'

const isConfigured = existsSync('attestry.yaml') || process.argv.some((word) => /^(-c|--config)/.test(word))
await import(isConfigured ? '../packages/attestry/src/attestry.js' : '../demo/src/demo.js')
