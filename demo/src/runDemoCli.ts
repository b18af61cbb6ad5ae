import { Command } from 'commander'
import { configWithoutFile } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { createOutput } from '@attestry/host/createOutput.ts'
import { quietly } from '@attestry/attestry/createProgram.ts'
import { withAddress, type AddressFlags } from '@attestry/attestry/serviceCommands.ts'
import * as composition from '@attestry/attestry/wings.ts'
import { withHelp } from '@attestry/host/commandLine.ts'
import { isDebug, type Environment } from '@attestry/host/config/interpolateVariables.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { runProgram, type ExitCode } from '@attestry/attestry/runCli.ts'

/** Runs one command line of the demo to its end, and returns the exit code. */
export function runDemoCli(args: readonly string[], environment: Environment): Promise<ExitCode> {
  const program = quietly(new Command('attestry-demo'))
    .description('Attestry over local chains with living data: nothing to configure, nothing is kept.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .allowExcessArguments(false)
    .action((flags: AddressFlags) => show(flags, environment))
  return runProgram(withAddress(withHelp(program, 'attestry-demo --port 4000')), args, environment)
}

async function show(flags: AddressFlags, environment: Environment): Promise<void> {
  const output = createOutput(process.stdout, { debug: isDebug(environment), urls: [], quiet: true })
  const { HOST, PORT } = environment
  const config = configWithoutFile({
    environment: { HOST, PORT },
    known: knownProtocols,
    parts: composition.wings,
    flags,
    endpointsNeeded: false,
  })
  const { runDemo } = await import('./runDemo.ts')
  await untilStopped((signal) => runDemo({ config, output }, signal))
}
