/** Reads the files of CI systems by what these, or others who know them, have written. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import './json-modules.js'

const GITLAB_CI_LOCAL = createRequire(import.meta.url).resolve('gitlab-ci-local')

/** Returns a workflow in which GitHub's own parser finds no error. */
export async function workflowOf<T>(content: string, name = 'core.yml'): Promise<T> {
  const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser')
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  assert.equal(context.errors.getErrors().map(String), [], name)
  return parseYaml(content) as T
}

/**
 * Expands a GitLab file with all includes by gitlab-ci-local, which validates it with GitLab's own schema.
 * @param files what it includes: names of files and folders in the folder
 */
export function expandedGitlab(folder: string, file: string, files: string[] = []): string {
  writeFileSync(join(folder, '.gitlab-ci.yml'), file)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  // It takes files from git, and the project from the URL of the remote.
  git('init')
  git('remote', 'add', 'origin', 'git@gitlab.example:group/project.git')
  git('add', '--force', '.gitlab-ci.yml', ...files)
  const { PATH = '' } = process.env
  const options = { cwd: folder, env: { PATH, HOME: folder }, encoding: 'utf8', timeout: 240_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [GITLAB_CI_LOCAL, '--preview'], options)
  assert.is(status, 0, stderr)
  return stdout
}
