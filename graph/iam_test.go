package graph_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// policy is an IAM policy, limited to the parts of the language that deploy/tenant-policy.json uses. Other
// parts are an error.
type policy struct {
	Version   string
	Statement []struct {
		Sid, Effect      string
		Action, Resource listed
		Condition        map[string]map[string]listed // keyed by operator and key; the values
	}
}

// listed is a JSON string or a list of strings.
type listed []string

// UnmarshalJSON accepts both forms.
func (l *listed) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = listed{one}
		return nil
	}
	var many []string
	err := json.Unmarshal(text, &many)
	*l = many
	return err
}

func parsePolicy(text []byte) (policy, error) {
	var p policy
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return p, d.Decode(&p)
}

// access is an action for which a request is authorized.
type access struct {
	action, resource string
	leading          []string // values of dynamodb:LeadingKeys; nil if the request has no such key
}

// allows evaluates the policy for an access by a principal with tags. An access is denied unless a statement
// allows it and none denies it.
func (p policy) allows(a access, tags map[string]string) (allowed bool, err error) {
	if p.Version != "2012-10-17" { // older versions have no variables
		return false, fmt.Errorf("version %q", p.Version)
	}
	for _, s := range p.Statement {
		matches := slices.ContainsFunc(s.Action, func(pattern string) bool {
			return like(strings.ToLower(pattern), strings.ToLower(a.action), nil)
		}) &&
			slices.ContainsFunc(s.Resource, func(pattern string) bool {
				return like(pattern, a.resource, tags)
			})
		for operator, keys := range s.Condition {
			for key, values := range keys {
				holds, err := condition(operator, key, values, a, tags)
				if err != nil {
					return false, err
				}
				matches = matches && holds
			}
		}
		switch {
		case s.Effect != "Allow" && s.Effect != "Deny":
			return false, fmt.Errorf("effect %q", s.Effect)
		case matches && s.Effect == "Deny":
			return false, nil
		case matches:
			allowed = true
		}
	}
	return allowed, nil
}

// condition evaluates an operator. All conditions of a statement must hold, each for one of its values.
func condition(operator, key string, values listed, a access, tags map[string]string) (bool, error) {
	if key != "dynamodb:LeadingKeys" {
		return false, fmt.Errorf("condition key %s", key)
	}
	switch operator {
	case "ForAllValues:StringLike": // holds if there are none
		return !slices.ContainsFunc(a.leading, func(value string) bool {
			return !slices.ContainsFunc(values, func(pattern string) bool {
				return like(pattern, value, tags)
			})
		}), nil
	case "Null":
		return slices.Contains(values, fmt.Sprint(a.leading == nil)), nil
	}
	return false, fmt.Errorf("operator %s", operator)
}

var (
	variable  = regexp.MustCompile(`\$\{[^}]*\}`)
	wildcards = strings.NewReplacer(`\*`, ".*", `\?`, ".")
)

// like reports whether a value matches a pattern: * matches any string, ? any character, and
// ${aws:PrincipalTag/NAME} the tag of the principal. The value of a variable is matched literally, and a
// variable without a value matches nothing. Here, unlike possibly in IAM, a * in a resource also matches
// colons; so an access that is denied here is denied by IAM.
func like(pattern, value string, tags map[string]string) bool {
	known, expression, end := true, "(?s)^", 0
	for _, at := range variable.FindAllStringIndex(pattern, -1) {
		name, isTag := strings.CutPrefix(pattern[at[0]+2:at[1]-1], "aws:PrincipalTag/")
		tag, has := tags[name]
		known = known && isTag && has
		expression += wildcards.Replace(regexp.QuoteMeta(pattern[end:at[0]])) + regexp.QuoteMeta(tag)
		end = at[1]
	}
	expression += wildcards.Replace(regexp.QuoteMeta(pattern[end:])) + "$"
	return known && regexp.MustCompile(expression).MatchString(value)
}

// accesses returns the accesses for which DynamoDB authorizes a request, by its documentation: a Query by the
// partition key of the table or the index, a batch by the keys of all items, a transaction by each part as a
// separate operation, and a request that names no item without a key.
func accesses(operation string, body []byte) ([]access, error) {
	type key struct{ PK struct{ S string } }
	type part struct {
		TableName string
		Item, Key *key
	}
	var r struct {
		part
		IndexName, KeyConditionExpression string
		ExpressionAttributeNames          map[string]string
		ExpressionAttributeValues         map[string]struct{ S string }
		RequestItems                      json.RawMessage
		TransactItems                     []map[string]part
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	on := func(action, table string, leading ...string) access {
		return access{"dynamodb:" + action, "arn:aws:dynamodb:eu-central-1:111122223333:table/" + table,
			leading}
	}
	item := func(action string, p part) (access, error) {
		k := p.Key
		if action == "PutItem" {
			k = p.Item
		}
		if k == nil || k.PK.S == "" {
			return access{}, fmt.Errorf("%s without a partition key: %s", action, body)
		}
		return on(action, p.TableName, k.PK.S), nil
	}
	switch operation {
	case "Query":
		name, placeholder, _ := strings.Cut(strings.Split(r.KeyConditionExpression, " AND ")[0], " = ")
		if named := r.ExpressionAttributeNames[name]; named != "" {
			name = named
		}
		partition, resource := "PK", r.TableName
		if r.IndexName != "" {
			partition, resource = "SK", resource+"/index/"+r.IndexName
		}
		value, ok := r.ExpressionAttributeValues[placeholder]
		if name != partition || !ok {
			return nil, fmt.Errorf("the partition of %s", body)
		}
		return []access{on(operation, resource, value.S)}, nil
	case "GetItem", "PutItem", "UpdateItem", "DeleteItem":
		a, err := item(operation, r.part)
		return []access{a}, err
	case "TransactWriteItems":
		actions := map[string]string{"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem",
			"ConditionCheck": "ConditionCheckItem"}
		var all []access
		for _, parts := range r.TransactItems {
			for kind, p := range parts {
				a, err := item(actions[kind], p)
				if err != nil {
					return nil, err
				}
				all = append(all, a)
			}
		}
		return all, nil
	case "BatchGetItem":
		var tables map[string]struct{ Keys []key }
		err := json.Unmarshal(r.RequestItems, &tables)
		var all []access
		for table, keys := range tables {
			a := on(operation, table)
			for _, k := range keys.Keys {
				a.leading = append(a.leading, k.PK.S)
			}
			all = append(all, a)
		}
		return all, err
	case "BatchWriteItem":
		var tables map[string][]map[string]part
		err := json.Unmarshal(r.RequestItems, &tables)
		var all []access
		for table, writes := range tables {
			a := on(operation, table)
			for _, write := range writes {
				for _, p := range write {
					a.leading = append(a.leading, cmp.Or(p.Item, p.Key).PK.S)
				}
			}
			all = append(all, a)
		}
		return all, err
	case "Scan", "CreateTable", "DescribeTable", "DescribeTimeToLive", "UpdateTimeToLive",
		"UpdateContinuousBackups":
		return []access{on(operation, r.TableName)}, nil
	}
	return nil, fmt.Errorf("unknown authorization of %s", operation)
}

// TestEvaluator checks cases whose outcome AWS documents.
func TestEvaluator(t *testing.T) {
	const table, other = "arn:aws:dynamodb:eu-central-1:111122223333:table/t",
		"arn:aws:dynamodb:eu-central-1:111122223333:table/tt"
	p, err := parsePolicy([]byte(`{"Version": "2012-10-17", "Statement": [
		{"Effect": "Allow", "Action": ["dynamodb:Batch*", "dynamodb:Query"], "Resource": "arn:aws:dynamodb:*:*:table/t", "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:PrincipalTag/tenant}/*", "pub?"]}}},
		{"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": "*", "Condition": {"Null": {"dynamodb:LeadingKeys": "false"}}},
		{"Effect": "Deny", "Action": "*", "Resource": "*/t", "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "*/secret"}, "Null": {"dynamodb:LeadingKeys": "false"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	acme := map[string]string{"tenant": "acme"}
	for _, test := range []struct {
		access access
		tags   map[string]string
		want   bool
	}{
		{access{"dynamodb:Query", table, []string{"acme/x"}}, acme, true},
		{access{"DynamoDB:query", table, []string{"acme/x"}}, acme, true},
		{access{"dynamodb:Query", other, []string{"acme/x"}}, acme, false},
		{access{"dynamodb:Query", table, []string{"acme2/x"}}, acme, false},
		{access{"dynamodb:Query", table, []string{"ACME/x"}}, acme, false},
		{access{"dynamodb:Query", table, []string{"xacme/x"}}, acme, false},
		{access{"dynamodb:Query", table, []string{"acme/x"}}, nil, false},
		{access{"dynamodb:Query", table, []string{"acme/x"}}, map[string]string{"tenant": "*"}, false},
		{access{"dynamodb:Query", table, []string{"pub1"}}, acme, true},
		{access{"dynamodb:Query", table, []string{"pub"}}, acme, false},
		{access{"dynamodb:Query", table, nil}, acme, true}, // ForAllValues is true for no values
		{access{"dynamodb:BatchGetItem", table, []string{"acme/x", "acme/y"}}, acme, true},
		{access{"dynamodb:BatchGetItem", table, []string{"acme/x", "rival/y"}}, acme, false},
		{access{"dynamodb:BatchGetItem", table, []string{"acme/secret"}}, acme, false},
		{access{"dynamodb:BatchGetItem", table, []string{"acme/secret", "acme/x"}}, acme, true},
		{access{"dynamodb:PutItem", other, []string{"rival/y"}}, acme, true},
		{access{"dynamodb:PutItem", other, nil}, acme, false},
		{access{"dynamodb:Scan", table, nil}, acme, false},
	} {
		if got, err := p.allows(test.access, test.tags); err != nil || got != test.want {
			t.Errorf("%+v with %v: %t, %v, want %t", test.access, test.tags, got, err, test.want)
		}
	}
	for _, unknown := range []string{
		`{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "NotAction": "x", "Resource": "*"}]}`,
		`{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": {"StringEquals": {"dynamodb:LeadingKeys": "x"}}}]}`,
		`{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": {"Null": {"dynamodb:Select": "true"}}}]}`,
		`{"Version": "2008-10-17", "Statement": []}`,
	} {
		p, err := parsePolicy([]byte(unknown))
		if err == nil {
			_, err = p.allows(access{"dynamodb:Scan", table, nil}, nil)
		}
		if err == nil {
			t.Errorf("accepted: %s", unknown)
		}
	}
}
