import { writeFileSync } from 'node:fs'
import { apiTypesFile, renderApiTypes } from './renderApiTypes.ts'

writeFileSync(apiTypesFile, await renderApiTypes())
