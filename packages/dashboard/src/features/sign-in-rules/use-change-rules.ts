import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useScope } from '../../session/scope.ts'
import { toast } from '../../ui/toast.tsx'
import { setSignInRules, signInRulesQuery } from '../../data/sign-in-rules.ts'

/** Changes the rules, and says so. */
export function useChangeRules(done: string, onClose: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (rules: Parameters<typeof setSignInRules>[1]) => setSignInRules(scope, rules),
    onSuccess: async () => {
      await queryClient.invalidateQueries(signInRulesQuery(scope))
      onClose()
      toast.success(done)
    },
  })
}
