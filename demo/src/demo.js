#!/usr/bin/env node
import { startProgram } from '../../src/cli/startProgram.js'

await startProgram(() => import('./main.ts'))
