#!/usr/bin/env node
import { startProgram } from './startProgram.js'

await startProgram(() => import('./main.ts'))
