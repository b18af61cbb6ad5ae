#!/usr/bin/env node
import { startProgram } from '@attestry/attestry/startProgram.js'

await startProgram(() => import('./main.ts'))
