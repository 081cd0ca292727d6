//go:build unix

package process

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func number(n int) string { return strconv.Itoa(n) }

// template is a template of CloudFormation.
type template struct {
	Parameters map[string]struct {
		Default       any
		AllowedValues []any
	}
	Resources map[string]struct {
		Type       string
		Properties json.RawMessage
	}
}

// readTemplate reads a template of deploy/.
func readTemplate(t *testing.T, name string) (out template) {
	t.Helper()
	text, err := os.ReadFile("deploy/" + name)
	if err != nil {
		t.Fatal(err)
	}
	into(t, string(text), &out)
	return out
}

// properties decodes the properties of a resource.
func (tm template) properties(t *testing.T, name string, v any) {
	t.Helper()
	if err := json.Unmarshal(tm.Resources[name].Properties, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// attribute is an attribute of a load balancer or of a target group.
type attribute struct{ Key, Value string }

// attributed returns the value of an attribute in seconds.
func attributed(t *testing.T, all []attribute, key string) time.Duration {
	t.Helper()
	for _, a := range all {
		if n, err := strconv.Atoi(a.Value); a.Key == key && err == nil {
			return time.Duration(n) * time.Second
		}
	}
	t.Errorf("no %s in %v", key, all)
	return 0
}

// TestService compares deploy/service.yaml with the program: it starts the server with the settings of the
// template. make lint-deploy checks the form of the template.
func TestService(t *testing.T) {
	t.Parallel()
	tm := readTemplate(t, "service.yaml")
	if got, want := tm.Parameters["TableName"].Default,
		readTemplate(t, "table.yaml").Parameters["TableName"].Default; got != want {
		t.Errorf("the service uses the table %q, but table.yaml makes %q", got, want)
	}
	var task struct {
		ContainerDefinitions []struct {
			Name         string
			Command      []string
			Memory       any
			PortMappings []struct{ ContainerPort int }
			StopTimeout  int
			Environment  []struct {
				Name  string
				Value any
			}
		}
	}
	tm.properties(t, "TaskDefinition", &task)
	c := task.ContainerDefinitions[0]
	given := map[string]string{"AWS::Region": "eu-central-1", "AuthJwks": "https://id.example.com/keys",
		"AuthIssuer": "https://id.example.com/", "CorsOrigin": "https://app.example.com",
		"VpcCidr": "10.0.0.0/16"}
	env := map[string]string{}
	for _, variable := range c.Environment {
		value, fixed := variable.Value.(string)
		if reference, ok := variable.Value.(map[string]any); !fixed && ok {
			name := fmt.Sprint(reference["Ref"])
			if value = given[name]; value == "" {
				value = fmt.Sprint(tm.Parameters[name].Default)
			}
		}
		env[variable.Name] = value
	}
	var target struct {
		Port                                                int
		HealthCheckPath                                     string
		HealthCheckIntervalSeconds, UnhealthyThresholdCount int
		TargetGroupAttributes                               []attribute
	}
	tm.properties(t, "TargetGroup", &target)
	var service struct {
		LoadBalancers []struct {
			ContainerName string
			ContainerPort int
		}
	}
	tm.properties(t, "Service", &service)
	port := c.PortMappings[0].ContainerPort
	if to := service.LoadBalancers[0]; target.Port != port || to.ContainerPort != port ||
		to.ContainerName != c.Name {
		t.Errorf("port %d, target %d, service %+v", port, target.Port, to)
	}
	for _, group := range []string{"BalancerGroup", "ServerGroup"} {
		var firewall struct {
			SecurityGroupIngress, SecurityGroupEgress []struct{ FromPort, ToPort int }
		}
		tm.properties(t, group, &firewall)
		rules := firewall.SecurityGroupIngress
		if group == "BalancerGroup" {
			rules = firewall.SecurityGroupEgress
		}
		if len(rules) != 1 || rules[0].FromPort != port || rules[0].ToPort != port {
			t.Errorf("%s: %+v, want port %d", group, rules, port)
		}
	}
	var balancer struct{ LoadBalancerAttributes []attribute }
	tm.properties(t, "Balancer", &balancer)
	timeout, err := time.ParseDuration(env["ISSUEGRID_TIMEOUT"])
	if err != nil {
		t.Fatal(err)
	}
	if idle := attributed(t, balancer.LoadBalancerAttributes, "idle_timeout.timeout_seconds"); idle <
		timeout+5*time.Second || idle >= 2*time.Minute {
		t.Errorf("the load balancer closes connections after %s; docs/production.md has the range", idle)
	}
	if drain := attributed(t, target.TargetGroupAttributes,
		"deregistration_delay.timeout_seconds"); drain < timeout {
		t.Errorf("the load balancer waits %s for requests, which may take %s", drain, timeout)
	}
	var closed struct {
		Conditions []struct{ PathPatternConfig struct{ Values []string } }
	}
	tm.properties(t, "ClosedPaths", &closed)
	paths := closed.Conditions[0].PathPatternConfig.Values
	if len(paths) != 2 || !slices.Contains(paths, target.HealthCheckPath) {
		t.Errorf("closed paths: %v", paths)
	}
	if diff := cmp.Diff(map[string]any{"Ref": "Memory"}, c.Memory); diff != "" {
		t.Errorf("memory of the container (-parameter +template):\n%s", diff)
	}
	least := slices.MinFunc(tm.Parameters["Memory"].AllowedValues, func(a, b any) int {
		return int(a.(float64) - b.(float64))
	})
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	deployment{args: c.Command, env: env, port: number(port), ready: target.HealthCheckPath, alive: paths[0],
		noticed: seconds(target.HealthCheckIntervalSeconds * target.UnhealthyThresholdCount),
		grace:   seconds(c.StopTimeout), memory: int(least.(float64)) << 20}.check(t)
}

// TestServiceRole compares the permissions of the servers with those that they need.
func TestServiceRole(t *testing.T) {
	t.Parallel()
	var role struct {
		ManagedPolicyArns []any
		Policies          []struct {
			PolicyDocument struct {
				Statement []struct {
					Effect   string
					Action   []string
					Resource map[string]string
				}
			}
		}
	}
	readTemplate(t, "service.yaml").properties(t, "ServerRole", &role)
	got := map[string][]string{}
	for _, s := range role.Policies[0].PolicyDocument.Statement {
		_, resource, _ := strings.Cut(s.Resource["Fn::Sub"], ":table/")
		got[s.Effect+" "+resource] = slices.Sorted(slices.Values(s.Action))
	}
	table, index := listedActions(t)
	want := map[string][]string{"Allow ${TableName}": table, "Allow ${TableName}/index/grid": index}
	if diff := cmp.Diff(want, got); diff != "" || len(role.Policies) != 1 || len(role.ManagedPolicyArns) > 0 {
		t.Errorf("permissions (-docs/dynamodb.md +template), %d policies, managed %v:\n%s",
			len(role.Policies), role.ManagedPolicyArns, diff)
	}
	if !strings.Contains(string(readTemplate(t, "table.yaml").Resources["Table"].Properties),
		`"IndexName": "grid"`) {
		t.Error("table.yaml has no index grid")
	}
}

// alarms returns the descriptions of the alarms of deploy/service.yaml by name.
func alarms(t *testing.T) map[string]string {
	t.Helper()
	tm, out := readTemplate(t, "service.yaml"), map[string]string{}
	for name, r := range tm.Resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		var alarm struct{ AlarmDescription string }
		tm.properties(t, name, &alarm)
		out[name] = alarm.AlarmDescription
	}
	return out
}

// TestServiceFilters checks that the log has what the metric filters look for, and that each filter has an
// alarm.
func TestServiceFilters(t *testing.T) {
	t.Parallel()
	tm := readTemplate(t, "service.yaml")
	var all strings.Builder
	for _, r := range tm.Resources {
		all.Write(r.Properties)
	}
	messages, found := logMessages(t, anyMessage), 0
	for name, r := range tm.Resources {
		if r.Type != "AWS::Logs::MetricFilter" {
			continue
		}
		found++
		var filter struct{ FilterPattern string }
		tm.properties(t, name, &filter)
		message := regexp.MustCompile(`\$\.msg = "([^"]+)"`).FindStringSubmatch(filter.FilterPattern)
		if message == nil || !slices.Contains(messages, message[1]) {
			t.Errorf("%s: the log has no such message: %s", name, filter.FilterPattern)
		}
		if strings.Count(all.String(), `"MetricName": "`+name+`"`) != 2 {
			t.Errorf("%s has no alarm, or counts under another name", name)
		}
	}
	if found == 0 {
		t.Error("no filters")
	}
}
