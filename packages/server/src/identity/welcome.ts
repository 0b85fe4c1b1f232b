import { demonstration } from './development.ts'

/** What a newcomer can paste, printed after a start without an OpenID provider. */
export function welcomeText(origin: string): string {
  const { user, org } = demonstration
  const stage = `"orgSlug":"${org}","projectSlug":"shop","stageSlug":"dev"`
  const post = (path: string, body: string): string =>
    `curl -s ${origin}/v1/env/${path} -H "Authorization: Bearer $TOKEN" -d '${body}'`
  return `
Rollkey is ready at ${origin}. No OpenID provider is set (ROLLKEY_IDP_ISSUER), so a development
provider signs anybody on this machine in. Try it in another terminal:

  # sign ${user} of the organization ${org} in (a token lasts 60 seconds; sign in again when it is over)
  TOKEN=$(curl -s '${origin}/development/token?user=${user}&org=${org}')

  # write a secret and an A/B roll
  ${post(
    'write',
    `{${stage},"mode":"upsert","entries":[
    {"name":"API_KEY","kind":"secret","value":"s3cret"},
    {"name":"NEW_CHECKOUT","kind":"ab_roll","valueA":"on","valueB":"off","chance":0.2,"declaredType":"string"}]}`,
  )}; echo

  # evaluate them: the same seed and key get the same side everywhere
  ${post('evaluate', `{${stage},"name":"API_KEY"}`)}; echo
  ${post('evaluate', `{${stage},"name":"NEW_CHECKOUT","seed":"user-1","key":"checkout"}`)}; echo

`
}
