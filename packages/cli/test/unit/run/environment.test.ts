import { describe, expect, test } from 'vitest'
import type { Variables } from '../../../src/formats/refuse.ts'
import { countChanges, environmentOf as madeOf, type EnvironmentRules } from '../../../src/run/environment.ts'

const careful = { allowsReserved: false, isStrict: true }

function environmentOf(parent: NodeJS.ProcessEnv, variables: Variables, rules: EnvironmentRules): NodeJS.ProcessEnv {
  return madeOf(parent, variables, rules).environment
}

describe('the environment of a command', () => {
  test('contains the environment of this process and the variables of the stage, which win', () => {
    expect(environmentOf({ A: 'inherited', B: 'b', PATH: '/bin' }, { A: 'of the stage', C: '' }, careful)).toEqual({
      A: 'of the stage',
      B: 'b',
      C: '',
      PATH: '/bin',
    })
  })

  test('has no credentials of this process, but a variable may have their names', () => {
    const parent = { ROLLKEY_TOKEN: 'ours', ROLLKEY_TOKEN_FILE: '/ours', ROLLKEY_STAGE: 'dev' }
    expect(environmentOf(parent, {}, careful)).toEqual({ ROLLKEY_STAGE: 'dev' })
    expect(environmentOf(parent, { ROLLKEY_TOKEN: 'of the stage' }, careful)).toMatchObject({
      ROLLKEY_TOKEN: 'of the stage',
    })
  })

  test('has no name that decides what code runs, unless allowed', () => {
    const reserved = {
      PATH: 'x',
      LD_PRELOAD: 'x',
      LD_LIBRARY_PATH: 'x',
      DYLD_INSERT_LIBRARIES: 'x',
      NODE_OPTIONS: 'x',
      BASH_ENV: 'x',
      GIT_SSH_COMMAND: 'x',
      _JAVA_OPTIONS: 'x',
    }
    const alike = { MY_PATH: 'x', PATHS: 'x', OLD_LD_PRELOAD: 'x', LD: 'x', NODE_ENV: 'x' }
    expect(() => environmentOf({}, { ...alike, ...reserved }, careful)).toThrow(
      expect.objectContaining({
        code: 'RESERVED_NAME',
        message: `These names decide what code runs on this machine, so a stage may not set them: ${Object.keys(reserved).join(', ')}`,
        command: 'rollkey run --allow-reserved -- …',
      }),
    )
    expect(environmentOf({}, alike, careful)).toEqual(alike)
    expect(environmentOf({ PATH: '/bin' }, reserved, { ...careful, allowsReserved: true })).toEqual(reserved)
  })

  test.each(
    `PATH HOME SHELL IFS BASH_ENV SHELLOPTS PROMPT_COMMAND LD_PRELOAD DYLD_X GCONV_PATH GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH
    NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5LIB PERL5OPT RUBYLIB RUBYOPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS
    JDK_JAVA_OPTIONS CLASSPATH ENV ZDOTDIR PS4 BROWSER PAGER EDITOR VISUAL LESSOPEN LESSCLOSE SSH_ASKPASS GIT_EXTERNAL_DIFF
    GIT_PAGER GIT_EDITOR GIT_ASKPASS GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 PYTHONWARNINGS PYTHONBREAKPOINT
    npm_config_node_options LUA_INIT LUA_INIT_5_4 PHPRC DOTNET_STARTUP_HOOKS NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED
    HTTP_PROXY HTTPS_PROXY ALL_PROXY https_proxy path Node_Options`.split(/\s+/),
  )('refuses %s, in any case', (name) => {
    expect(() => environmentOf({}, { [name]: 'x' }, careful)).toThrow(
      expect.objectContaining({ code: 'RESERVED_NAME' }),
    )
  })

  test.each([
    'GIT_SHA',
    'PYTHONUNBUFFERED',
    'NODE_ENV',
    'GITHUB_TOKEN',
    'ENVIRONMENT',
    'NO_PROXY',
    'NPM_TOKEN',
    'MY_ENV',
  ])('accepts %s', (name) => {
    expect(environmentOf({}, { [name]: 'x' }, careful)).toEqual({ [name]: 'x' })
  })

  test('skips invalid names unless it is strict, and returns them', () => {
    const variables = { 'a-b': 'x', 'c.d': '\0', OK: 'x' }
    expect(madeOf({ A: 'a' }, variables, { ...careful, isStrict: false })).toEqual({
      environment: { A: 'a', OK: 'x' },
      skipped: ['a-b', 'c.d'],
    })
    expect(() => madeOf({}, { 'node_options ': 'x', A: '\0' }, { ...careful, isStrict: false })).toThrow('NUL: A')
  })

  test('refuses names and values that it cannot hold', () => {
    expect(() => environmentOf({}, { 'a-b': 'x', 'c.d': 'x', OK: 'x' }, careful)).toThrow(
      'These names are not valid for environment variables: a-b, c.d',
    )
    expect(() => environmentOf({}, { A: '\0' }, careful)).toThrow('cannot contain the character NUL: A')
  })
})

test('counts variables that were added, removed or changed', () => {
  expect(countChanges({ A: '1', B: '2' }, { B: '2', A: '1' })).toBe(0)
  expect(countChanges({ A: '1', B: '2', C: '' }, { A: '2', B: '2', D: '' })).toBe(3)
})
